"""The tests reach loopback and nothing else."""

from __future__ import annotations

import asyncio
import socket

import pytest
from pytest_socket import SocketConnectBlockedError

ELSEWHERE = "192.0.2.1"
"""An address that is nobody's (RFC 5737)."""


def test_loopback_is_reached() -> None:
    """A test may talk to a server of its own."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname(), 5) as client:
        peer, _ = server.accept()
        with peer:
            client.sendall(b"hello")
            assert peer.recv(5) == b"hello"


def test_nothing_else_is_reached() -> None:
    """A connection to another host is refused before a packet leaves."""
    with socket.socket() as client, pytest.warns(match=ELSEWHERE), pytest.raises(SocketConnectBlockedError):
        client.connect((ELSEWHERE, 80))


async def test_an_event_loop_reaches_nothing_else_either() -> None:
    """The loop of asyncio connects through the same sockets."""
    with pytest.warns(match=ELSEWHERE), pytest.raises(SocketConnectBlockedError):
        await asyncio.open_connection(ELSEWHERE, 80)
