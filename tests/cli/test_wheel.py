"""What is installed without the checkout around it: the wheel holds whatever the bridge reads beside its code."""

import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ASIDE = {".pyc", ".pot"}
"""Not read by the bridge when it runs."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The names of the files in a wheel that is built as `pip install` builds it."""
    folder = tmp_path_factory.mktemp("wheel")
    build = "import sys; from hatchling.build import build_wheel; print(build_wheel(sys.argv[1]))"
    command = [sys.executable, "-c", build, str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=45, check=True)
    with zipfile.ZipFile(folder / done.stdout.split()[-1]) as found:
        return set(found.namelist())


def test_it_holds_every_file_of_the_package(wheel: set[str]) -> None:
    """Code, migrations, catalogues, and what the page is made of."""
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "bridge").rglob("*") if path.is_file()}
    missing = {name for name in files - wheel if Path(name).suffix not in ASIDE}
    assert missing == set()
    assert {"bridge/sandbox/page/static/index.html", "bridge/locales/zh_CN/LC_MESSAGES/bridge.po"} <= wheel


def test_it_holds_the_scenarios_where_the_demo_looks_for_them(wheel: set[str]) -> None:
    scenarios = {f"bridge/sandbox/scenarios/{path.name}" for path in (ROOT / "fixtures/scenarios").glob("*.toml")}
    assert scenarios
    assert scenarios <= wheel


def test_it_holds_nothing_of_the_tests(wheel: set[str]) -> None:
    assert not [name for name in wheel if not name.startswith(("bridge/", "hapi_bridge-"))]
