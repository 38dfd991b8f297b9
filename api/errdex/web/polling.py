"""What a running server looks at again and again: files that may have changed, memory that may be given back."""

import asyncio
import logging
from collections.abc import Callable

log = logging.getLogger("errdex")


async def poll(seconds: float, *jobs: Callable[[], object]) -> None:
    """Run jobs one after the other, each in a thread, until cancelled.

    What one of them raises is logged; the next round comes all the same, or a server would not take up an index any more.

    Args:
        seconds: between two rounds.
        jobs: what to do.
    """
    while True:
        await asyncio.sleep(seconds)
        for job in jobs:
            try:
                await asyncio.to_thread(job)
            except Exception as error:
                log.error("what the server does every few seconds failed", exc_info=error)
