"""The names of fakeredis, over miniserver: change ``import fakeredis`` to ``from miniserver_testkit import fakeredis``.

    server = fakeredis.FakeServer()
    client = fakeredis.FakeRedis(server=server)     # a redis.Redis
    client.set("session", "alice", ex=3600)
    server.world.clock.advance(hours=1)             # what a fake in the process does not have
    assert client.get("session") is None

The data are in a world of a miniserver, which all of them in this process share: see FakeServer.
"""

from . import aioredis
from .client import FakeAsyncRedis, FakeRedis, FakeStrictRedis
from .connection import FakeAsyncConnection, FakeAsyncRedisConnection, FakeConnection, FakeRedisConnection
from .server import FakeServer
from .tcp import TcpFakeServer

__all__ = [
    "FakeAsyncConnection",
    "FakeAsyncRedis",
    "FakeAsyncRedisConnection",
    "FakeConnection",
    "FakeRedis",
    "FakeRedisConnection",
    "FakeServer",
    "FakeStrictRedis",
    "TcpFakeServer",
    "aioredis",
]

try:
    from .valkeyclient import FakeAsyncValkey, FakeStrictValkey, FakeValkey
except ImportError:
    pass
else:
    __all__ += ["FakeAsyncValkey", "FakeStrictValkey", "FakeValkey"]
