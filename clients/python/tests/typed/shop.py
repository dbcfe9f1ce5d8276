"""A project with types, and its tests: test_types.py lets mypy check it. A line that mypy must refuse has a comment that says why."""

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest
import redis
import redis.asyncio
from miniserver_testkit import AsyncWorld, Fault, Server, World, fakeredis
from miniserver_testkit.fakeredis import FakeAsyncRedis, FakeRedis, FakeServer, FakeStrictRedis, TcpFakeServer, aioredis
from typing_extensions import assert_type


class Orders:
    def __init__(self, client: redis.Redis) -> None:
        self.client = client

    def place(self, user: str) -> None:
        self.client.set(f"orders:{user}", 1)


class AsyncOrders:
    def __init__(self, client: redis.asyncio.Redis) -> None:
        self.client = client


class Counting(FakeStrictRedis):
    """A client of the tests' own."""


@pytest.fixture
def server() -> Iterator[fakeredis.FakeServer]:
    with fakeredis.FakeServer(version=(7, 2), server_type="redis", config={b"maxmemory": b"1mb"}, follow_clock=True) as server:
        yield server


def test_clients(server: FakeServer) -> None:
    Orders(fakeredis.FakeRedis(server=server, decode_responses=True)).place("alice")
    Orders(Counting(host="a", db=1, connected=False))
    AsyncOrders(aioredis.FakeRedis())
    assert_type(FakeRedis.from_url("redis://a"), FakeRedis)
    assert_type(FakeAsyncRedis.from_url("redis://a"), FakeAsyncRedis)
    redis.Redis(connection_pool=redis.ConnectionPool(connection_class=fakeredis.FakeConnection, server=server))
    with FakeRedis(server=server).pipeline() as pipeline:
        pipeline.set("k", "v")
        pipeline.execute()
    server.connected = False
    server.follow()
    assert_type(server.url, str)
    assert_type(server.world, World)
    AsyncOrders(FakeRedis())  # type: ignore[arg-type] # a client for threads
    FakeServer(server_type="mongo")  # type: ignore[arg-type] # no such server
    server.dbs  # type: ignore[attr-defined] # the page says so


async def test_coroutines(async_world: AsyncWorld) -> None:
    async with FakeAsyncRedis() as client:
        AsyncOrders(client)
        await client.set("k", "v")
    assert_type(await async_world.clock.advance(hours=1), datetime)
    assert_type(await async_world.faults.list(), list[Fault])
    await async_world.wait_for_blocked(1, timeout=timedelta(seconds=1))


def test_an_address() -> None:
    with TcpFakeServer(("127.0.0.1", 0), server_version="7.2") as server:
        assert_type(server.server_address, tuple[str, int])
        assert_type(server.fake_server, FakeServer)


def test_a_world(world: World, miniserver: Server) -> None:
    world.clock.set(datetime(2030, 1, 31, tzinfo=timezone.utc))
    world.clock.advance(timedelta(days=1))
    assert_type(world.clock.follow(), datetime)
    world.faults.add("lost", "ON", "ANY", "DO", "DROP", "TIMES", 1)
    assert_type([fault.hits for fault in world.faults.list()], list[int])
    assert_type(world.dump("orders:*"), str)
    world.chaos.on("order")
    with miniserver.world() as other, miniserver.async_world("a"):
        assert_type(other.leaks(), list[str])
    world.chaos.on("disorder")  # type: ignore[arg-type] # no such choice
    world.clock.advance(3600)  # type: ignore[arg-type] # of which unit
