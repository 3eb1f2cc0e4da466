"""The released Claude Code behind HAPI's own CLI, on a real hub: only the model is ours (see ``fake_model``)."""

from pathlib import Path

from tests.conftest import claude_binary
from tests.rig.fake_model import FakeModel
from tests.rig.hapi_peer import HubProc
from tests.rig.real_cli import RealCli, RealRunner


def claude_env(data: Path, model: FakeModel, path: str) -> dict[str, str]:
    """What Claude Code is told besides HAPI's own: which model to ask, and to ask nobody else."""
    binary = claude_binary()
    if binary is None:
        raise RuntimeError("no Claude Code here: set CLAUDE_BIN")
    folder = data / "bin"
    folder.mkdir(parents=True, exist_ok=True)
    if not (named := folder / "claude").exists():
        named.symlink_to(binary)
    return {
        "PATH": f"{folder}:{path}",
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "sk-ant-none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "IS_SANDBOX": "1",  # root may use the mode that asks for nothing, as in a container
    }


class RealClaude(RealCli):
    """One ``hapi claude`` process, steered from afar from the first."""

    words = ("claude", "--hapi-starting-mode", "remote")

    def __init__(self, hub: HubProc, data: Path, model: FakeModel) -> None:
        super().__init__(hub, data)
        self.model = model

    def environ(self) -> dict[str, str]:
        found = super().environ()
        return {**found, **claude_env(self.data, self.model, found.get("PATH", ""))}


class ClaudeRunner(RealRunner):
    """A computer on which Claude Code can be started."""

    def __init__(self, hub: HubProc, data: Path, model: FakeModel) -> None:
        super().__init__(hub, data)
        self.model = model

    def environ(self) -> dict[str, str]:
        found = super().environ()
        return {**found, **claude_env(self.data, self.model, found.get("PATH", ""))}
