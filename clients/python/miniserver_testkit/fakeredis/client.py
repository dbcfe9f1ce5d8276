"""Clients of redis-py whose connections lead into the world of a FakeServer."""

from typing import Any, TypeVar

import redis
import redis.asyncio

from .connection import FakeAsyncRedisConnection, FakeRedisConnection
from .release import ServerType, Version
from .server import FakeServer

Client = TypeVar("Client", bound="FakeRedisMixin")

# What a pool adds to the parameters of its connections.
OF_POOL = "maint_notifications", "orig_", "event_dispatcher", "himport_registry"
# Parameters of FakeRedis that its connections get.
OF_WORLD = "version", "server_type", "lua_modules", "connected"


class FakeRedisMixin:
    """What the clients have in common. It stands before the class of a client library, of which _client, _connection and _pool are the usual classes."""

    _client: type
    _connection: type
    _pool: type
    _type: ServerType = "redis"

    def __init__(
        self,
        *args: Any,
        server: FakeServer | None = None,
        version: Version | None = None,
        server_type: ServerType | None = None,
        lua_modules: set[str] | None = None,
        client_class: type | None = None,
        connection_class: type | None = None,
        connection_pool_class: type | None = None,
        connected: bool = True,
        **kwargs: Any,
    ) -> None:
        """The parameters of redis.Redis, and those that say whose data the client sees: server, or the release of a server of its own.

        Without server, clients with the same host and port see the same data, while one without a host has data of its own.
        While connected is False, commands raise ConnectionError. lua_modules and client_class are accepted, and have no effect.
        """
        owns = kwargs.get("connection_pool") is None
        if owns:
            server_type = server_type or self._type
            world = {"version": version, "server_type": server_type, "lua_modules": lua_modules}
            if server is None:
                world["connected"] = connected
                server = None if args or kwargs.get("host") else FakeServer(version, server_type)
            plain = (client_class or self._client)(*args, **kwargs | {"single_connection_client": False})
            kwargs["connection_pool"] = self._pool_like(plain.connection_pool, kwargs, connection_class, connection_pool_class, world | {"server": server})
        super().__init__(*args, **kwargs)
        if owns:
            self.auto_close_connection_pool = True

    @classmethod
    def from_url(cls: type[Client], url: str, **kwargs: Any) -> Client:
        """Return a client for a URL. Clients with the same host and port see the same data."""
        own = {name: kwargs.pop(name) for name in ("connection_class", "connection_pool_class", "client_class") if name in kwargs}
        world = {"server_type": cls._type} | {name: kwargs.pop(name) for name in ("server", *OF_WORLD) if name in kwargs}
        single = {name: kwargs.pop(name) for name in ("single_connection_client",) if name in kwargs}
        plain = cls._pool.from_url(url, **kwargs)
        pool = cls._pool_like(plain, kwargs, own.get("connection_class"), own.get("connection_pool_class"), world)
        client = cls(connection_pool=pool, **single)
        client.auto_close_connection_pool = True
        return client

    @classmethod
    def _pool_like(cls, plain: Any, kwargs: dict, connection_class: type | None, pool_class: type | None, world: dict) -> Any:
        """Return a pool of connections into a world, with the other parameters of a plain pool."""
        settings = {name: value for name, value in plain.connection_kwargs.items() if not name.startswith(OF_POOL)}
        if "retry" not in kwargs:
            settings.pop("retry", None)  # an error that is emulated is told at once
        settings |= {name: kwargs[name] for name in ("cache", "cache_config") if kwargs.get(name) is not None}
        settings |= {name: value for name, value in world.items() if value is not None}
        return (pool_class or cls._pool)(
            connection_class=connection_class or cls._connection, max_connections=plain.max_connections, **settings
        )


class FakeAsyncRedisMixin(FakeRedisMixin):
    """The same for asyncio."""


class _Sync(FakeRedisMixin):
    _client, _connection, _pool = redis.Redis, FakeRedisConnection, redis.ConnectionPool


class FakeRedis(_Sync, redis.Redis):
    """redis.Redis with data in this process' miniserver."""


class FakeStrictRedis(_Sync, redis.StrictRedis):
    """The same: redis-py has one kind of client by two names."""


class FakeAsyncRedis(FakeAsyncRedisMixin, redis.asyncio.Redis):
    """redis.asyncio.Redis with data in this process' miniserver."""

    _client, _connection, _pool = redis.asyncio.Redis, FakeAsyncRedisConnection, redis.asyncio.ConnectionPool
