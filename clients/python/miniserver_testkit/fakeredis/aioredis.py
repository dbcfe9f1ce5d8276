"""The clients for asyncio, by their names in fakeredis.aioredis."""

from .client import FakeAsyncRedis as FakeRedis
from .client import FakeAsyncRedisMixin
from .client import FakeAsyncRedisMixin as FakeRedisMixin
from .connection import FakeAsyncConnection, FakeAsyncRedisConnection
from .connection import FakeAsyncConnection as FakeConnection

__all__ = ["FakeAsyncConnection", "FakeAsyncRedisConnection", "FakeAsyncRedisMixin", "FakeConnection", "FakeRedis", "FakeRedisMixin"]
