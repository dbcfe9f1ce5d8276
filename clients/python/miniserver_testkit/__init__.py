"""Runs miniserver for tests, and steers it.

    with Server() as server:
        world = server.world("orders")
        client = redis.from_url(world.url)      # any client
        client.set("session", "alice", ex=3600)
        world.clock.advance(hours=1)            # returns at once
        assert client.get("session") is None

A Server is a process, which it starts or which others have started. A World of it has its own data, clock, scripts and faults,
so that tests can run side by side on one server. With pytest the fixtures ``miniserver`` and ``world`` do both: see pytest_plugin.
"""

from .cluster import Cluster
from .connection import ReplyError
from .server import LeftBehindWarning, Server
from .world import AsyncWorld, Fault, FaultWarning, World

__all__ = ["AsyncWorld", "Cluster", "Fault", "FaultWarning", "LeftBehindWarning", "ReplyError", "Server", "World"]
