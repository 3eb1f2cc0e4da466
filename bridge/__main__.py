"""``python -m bridge`` is ``hapi-bridge``."""

from bridge.cli import main

main()
