"""What every command needs: a state directory of its own, and servers in threads."""

from __future__ import annotations

import asyncio
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from toolwire.simulator.server import SimulatorServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from loopback import Loopback

    Serving = Callable[[SimulatorServer | Loopback], AbstractContextManager[str]]


@pytest.fixture(autouse=True)
def _own_state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep recordings and keys of the machine out of the tests."""
    monkeypatch.setenv("TOOLWIRE_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("NO_COLOR", "1")
    for name in ("TOOLWIRE_API_KEY", "OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@contextmanager
def in_thread(server: SimulatorServer | Loopback) -> Iterator[str]:
    """Run a server in a thread of its own, since each command runs its own event loop."""
    started = threading.Event()
    found: list[str] = []
    stop: list[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = []

    async def serve() -> None:
        done = asyncio.Event()
        async with server:
            found.append(server.url)
            stop.append((asyncio.get_running_loop(), done))
            started.set()
            await done.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    try:
        assert started.wait(10)
        yield found[0]
    finally:
        for loop, done in stop:
            loop.call_soon_threadsafe(done.set)
        thread.join(10)


@pytest.fixture
def serving() -> Serving:
    """Give what runs a server of a test."""
    return in_thread


@pytest.fixture
def simulator() -> Iterator[str]:
    """Give the address of a simulator."""
    with in_thread(SimulatorServer()) as url:
        yield url
