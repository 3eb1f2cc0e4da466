"""``python -m bridge.sandbox.stage.leashed FILE``: `hapi-bridge run --config FILE` that ends with who started it.

Standard input is the leash: it closes when the other end is gone, however it went, also by ``kill -9``. The bridge is
then told to stop as by SIGTERM, and ended where it does not. Where nobody is left to clear away, it takes along the
folder of its configuration file, which is the show's alone.
"""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from pathlib import Path

PATIENCE_S = 5.0


def _hold(folder: Path, parent: int) -> None:
    """Wait for the other end to let go; whatever comes before that is ignored."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE_S)
    _clear(folder, parent)
    os._exit(1)


def _clear(folder: Path, parent: int) -> None:
    """Remove the folder if whoever started this is gone."""
    if os.getppid() != parent:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> int:
    """Run the bridge; its exit code."""
    config, parent = Path(sys.argv[1]).resolve(), os.getppid()
    threading.Thread(target=_hold, args=(config.parent, parent), daemon=True).start()
    from bridge.cli.run import run

    code = run(config)
    _clear(config.parent, parent)
    return code


if __name__ == "__main__":
    sys.exit(main())
