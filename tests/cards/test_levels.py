from typing import get_args

from bridge.cards.levels import LEVELS, Level, admits


def test_levels_are_ordered() -> None:
    shown = {least: [level for level in LEVELS if admits(level, least)] for least in get_args(Level)}
    assert shown == {"quiet": ["quiet", "normal", "full"], "normal": ["normal", "full"], "full": ["full"]}
