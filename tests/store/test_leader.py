"""One bridge at a time works with a store; the next one takes over the moment the holder is gone."""

import asyncio
import sys
from pathlib import Path

from bridge.store.engine import Store
from bridge.store.leader import leadership


async def test_the_second_waits_and_says_so_and_takes_over(url: str, store: Store) -> None:
    order: list[str] = []

    async def second() -> None:
        async with leadership(url, lambda: order.append("waits")):
            order.append("leads")

    async with leadership(url, lambda: order.append("first waits")):
        task = asyncio.create_task(second())
        async with asyncio.timeout(10):
            while not order:  # noqa: ASYNC110 - the callback is all there is to see
                await asyncio.sleep(0.02)
        assert order == ["waits"]
    await asyncio.wait_for(task, 10)
    assert order == ["waits", "leads"]


HOLD = """
import asyncio, sys
from bridge.store.leader import leadership
async def main():
    async with leadership(sys.argv[1], lambda: None):
        print("leads", flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


async def test_a_killed_holder_leaves_nothing_behind(url: str, store: Store, tmp_path: Path) -> None:
    """``kill -9``: no lease has to run out first."""
    holder = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLD, url, stdout=asyncio.subprocess.PIPE)
    assert holder.stdout is not None
    assert await asyncio.wait_for(holder.stdout.readline(), 20) == b"leads\n"
    holder.kill()
    await holder.wait()
    async with asyncio.timeout(10), leadership(url, lambda: None):
        pass
