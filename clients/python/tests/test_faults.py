"""What redis-py does when a fault strikes: a row for each effect, for the clients of threads and of asyncio."""

import inspect
from typing import NamedTuple

import pytest
import redis
import redis.asyncio
from miniserver_testkit import Server
from redis.backoff import NoBackoff
from redis.exceptions import BusyLoadingError, MasterDownError, OutOfMemoryError, ReadOnlyError

OFTEN = {"retries": 3}  # the client connects again, and sends again, if the connection breaks
NEVER = {"retries": 0}


def count(client):
    return client.incr("orders")


def count_by_script(client):
    """The script of the client is EVALSHA; it loads the script if the server does not know it."""
    return client.register_script("return redis.call('INCR', KEYS[1])")(keys=["orders"])


class Case(NamedTuple):
    fault: tuple  # what follows DO
    client: dict
    act: callable
    outcome: object  # the reply, or the error
    hits: int
    orders: int  # how many are counted in the end


CASES = [
    Case(("ERROR", "ERR no luck"), OFTEN, count, redis.ResponseError("no luck"), 1, 0),
    Case(("ERROR", "NOPERM it is forbidden", "TIMES", 1), OFTEN | {"retry_on_error": [redis.exceptions.NoPermissionError]}, count, 1, 1, 1),
    Case(("DELAY", 1000, "TIMES", 1), NEVER | {"socket_timeout": 0.5}, count, redis.TimeoutError(), 1, 0),
    Case(("DELAY", 1000, "TIMES", 1), OFTEN | {"socket_timeout": 0.5}, count, 1, 1, 1),
    Case(("DROP", "TIMES", 2), OFTEN, count, 1, 2, 1),
    Case(("DROP",), OFTEN, count, redis.ConnectionError(), 4, 0),
    Case(("LOST-REPLY", "TIMES", 1), NEVER, count, redis.ConnectionError(), 1, 1),
    Case(("LOST-REPLY", "TIMES", 2), OFTEN, count, 3, 2, 3),
    Case(("HALF-REPLY", "TIMES", 1), OFTEN, count, 2, 1, 2),
    Case(("LOADING",), NEVER, count, BusyLoadingError(), 1, 0),
    Case(("LOADING", "TIMES", 2), OFTEN, count, 1, 2, 1),
    Case(("READONLY",), OFTEN, count, ReadOnlyError("can't write"), 1, 0),
    Case(("READONLY", "TIMES", 2), OFTEN | {"retry_on_error": [ReadOnlyError]}, count, 1, 2, 1),
    Case(("MASTERDOWN",), OFTEN, count, MasterDownError("Link with MASTER is down"), 1, 0),
    Case(("MASTERDOWN", "TIMES", 2), OFTEN | {"retry_on_error": [MasterDownError]}, count, 1, 2, 1),
    Case(("OOM",), OFTEN, count, OutOfMemoryError("not allowed when used memory"), 1, 0),
    Case(("NOSCRIPT", "TIMES", 1), OFTEN, count_by_script, 1, 1, 1),
]


class Library(NamedTuple):
    """The two clients that redis-py is."""

    module: object
    Retry: type
    Cluster: type


LIBRARIES = {
    "threads": Library(redis, redis.retry.Retry, redis.RedisCluster),
    "asyncio": Library(redis.asyncio, redis.asyncio.retry.Retry, redis.asyncio.RedisCluster),
}


@pytest.fixture(params=LIBRARIES.values(), ids=LIBRARIES.keys())
def library(request):
    return request.param


async def finish(result):
    """Return what a function or a coroutine returns."""
    return await result if inspect.isawaitable(result) else result


async def close(client):
    await finish(client.aclose() if hasattr(client, "aclose") else client.close())


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{' '.join(map(str, case.fault))}, {case.client['retries']} retries")
async def test_a_client(world, library, case):
    retries, options = case.client["retries"], {name: value for name, value in case.client.items() if name != "retries"}
    client = library.module.from_url(world.url, retry=library.Retry(NoBackoff(), retries), **options)
    world.clock.freeze()
    world.command("SET", "orders", 0)
    await finish(count_by_script(client))
    world.command("SET", "orders", 0)
    on = "evalsha" if case.act is count_by_script else "incrby"
    world.faults.add("it", "ON", "COMMAND", on, "DO", *case.fault)
    if isinstance(case.outcome, Exception):
        with pytest.raises(type(case.outcome)) as raised:
            await finish(case.act(client))
        assert raised.type is type(case.outcome)
        assert str(case.outcome) in str(raised.value)
    else:
        assert await finish(case.act(client)) == case.outcome
    assert [fault.hits for fault in world.faults.list()] == [case.hits]
    assert world.command("GET", "orders") == str(case.orders)
    await close(client)


@pytest.fixture(scope="module")
def nodes():
    with Server("--cluster-enabled", "yes") as old, Server("--cluster-enabled", "yes") as fresh:
        yield old, fresh


async def test_a_slot_has_moved(nodes, library):
    """The client goes to the other node, and remembers that it must go there."""
    old, fresh = nodes
    with old.world() as here, fresh.world(here.name) as there:
        client = library.Cluster.from_url(here.url)
        await finish(client.set("{user:7}:cart", "shoes"))
        here.faults.add("it", "ON", "KEY", "{user:7}*", "DO", "MOVED", f"{fresh.host}:{fresh.port}")
        assert await finish(client.incr("{user:7}:orders")) == 1
        assert await finish(client.incr("{user:7}:orders")) == 2
        assert [fault.hits for fault in here.faults.list()] == [1]
        assert there.command("GET", "{user:7}:orders") == "2"
        assert here.command("KEYS", "*") == ["{user:7}:cart"]
        await close(client)


async def test_a_slot_is_moving(nodes, library):
    """The client sends ASKING and the command. It does so only to nodes that it knows, so this one sends it back to itself."""
    node, _ = nodes
    with node.world() as world:
        client = library.Cluster.from_url(world.url)
        await finish(client.ping())
        world.faults.add("it", "ON", "COMMAND", "incrby", "DO", "ASK", f"{world.host}:{world.port}", "TIMES", 2)
        node.command("MINI.COMMANDS", "RESET")
        assert await finish(client.incr("orders")) == 1
        assert [fault.hits for fault in world.faults.list()] == [2]
        assert "asking 2" in node.command("MINI.COMMANDS")
        await close(client)


def test_every_effect_is_here(miniserver):
    """The tests have all effects that the server knows."""
    [[_, docs]] = [miniserver.command("COMMAND", "DOCS", "mini.fault|add")]
    [effect] = [argument for argument in map(fields, fields(docs)["arguments"]) if argument["name"] == "effect"]
    known = {fields(choice)["token"] for choice in effect["arguments"]}
    assert len(known) == 12
    assert {case.fault[0] for case in CASES} | {"MOVED", "ASK"} == known


def fields(reply):
    """Return a dict for a reply that has names and their values by turns."""
    return dict(zip(reply[::2], reply[1::2]))
