"""``python -m bridge.sandbox.stage.leashed FILE``: `hapi-bridge run --config FILE` that ends with who started it.

Standard input is the leash: it closes when the other end is gone, however it went, also by ``kill -9``. The bridge is
then told to stop as by SIGTERM, and ended where it does not.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

PATIENCE_S = 5.0


def _hold() -> None:
    """Wait for the other end to let go; whatever comes before that is ignored."""
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(PATIENCE_S)
    os._exit(1)


def main() -> int:
    """Run the bridge; its exit code."""
    threading.Thread(target=_hold, daemon=True).start()
    from bridge.cli.run import run

    return run(Path(sys.argv[1]))


if __name__ == "__main__":
    sys.exit(main())
