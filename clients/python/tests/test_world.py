"""The commands that a world sends, seen by a client of another library."""

import asyncio
import threading
import warnings
from datetime import datetime, timedelta, timezone

import pytest
import redis
import redis.asyncio
from miniserver_testkit import FaultWarning, ReplyError, Server
from redis.backoff import NoBackoff
from redis.retry import Retry


@pytest.fixture
def client(world):
    with redis.from_url(world.url, decode_responses=True) as client:
        yield client


def test_clients_of_the_url_are_in_the_world(world, client):
    assert client.execute_command("MINI.WORLD", "NAME") == world.name
    assert "clients_of_the_url" in world.name


def test_worlds_share_nothing(miniserver, world, client):
    client.set("color", "green")
    with miniserver.world() as other:
        assert other.command("GET", "color") is None
        other.clock.advance(days=1)
        assert other.clock.now() - world.clock.now() > timedelta(hours=23)


def test_clock(world, client):
    world.clock.freeze()
    at = datetime(2030, 1, 1, tzinfo=timezone.utc)
    assert world.clock.set(at) == at
    assert client.time() == (int(at.timestamp()), 0)
    client.set("session", "alice", ex=3600)
    assert world.clock.advance(minutes=59, seconds=59) == world.clock.now()
    assert client.get("session") == "alice"
    world.clock.advance(timedelta(seconds=1))
    assert client.get("session") is None
    assert world.clock.set("2030-01-31T12:00:00Z") == datetime(2030, 1, 31, 12, tzinfo=timezone.utc)
    assert world.clock.advance("1h30m") == datetime(2030, 1, 31, 13, 30, tzinfo=timezone.utc)
    with pytest.raises(ReplyError, match="'soon' is no duration"):
        world.clock.advance("soon")
    world.clock.resume()
    world.clock.scale(1000)
    with pytest.raises(ReplyError, match="does not advance by a negative time"):
        world.clock.advance(seconds=-1)


def test_a_worker_times_out(world, client):
    replies = []
    worker = threading.Thread(target=lambda: replies.append(client.blpop("jobs", 3600)))
    worker.start()
    world.wait_for_blocked(1)
    world.clock.advance(hours=1)
    worker.join()
    assert replies == [None]


def test_waiting(world, client):
    client.set("k", "v")
    client.rpush("list", "a", "b")
    world.wait_for_key("k")
    world.wait_for_key("k", "v")
    world.wait_for_length("list", 2)
    world.wait_for_subscribers("news", 0)
    world.wait_for_quiet(0.01)
    world.wait_for_quiet("10ms", timeout="1m")
    world.wait_for_quiet(timedelta(milliseconds=10))
    world.wait_for("LENGTH", "list", 2, timeout=0)
    with pytest.raises(TimeoutError, match='waited for key "k" "w", found "v"'):
        world.wait_for_key("k", "w", timeout=0.01)


def test_a_wait_does_not_hold_up_other_threads(world):
    waiting = threading.Thread(target=world.wait_for_key, args=("k",))
    waiting.start()
    world.command("SET", "k", "v")
    waiting.join()


def test_snapshot_restore_fork(world, client):
    client.set("stock", 100)
    world.snapshot(world.name)
    with world.fork() as copy:
        client.decr("stock")
        assert copy.command("GET", "stock") == "100"
    world.restore(world.name)
    assert client.get("stock") == "100"
    world.reset()
    assert client.dbsize() == 0


def test_seed(world, client):
    client.sadd("fruit", "apple", "banana", "cherry", "date", "elder")
    world.seed(42)
    first = client.srandmember("fruit", 3)
    world.seed(42)
    assert client.srandmember("fruit", 3) == first


def test_dump_and_leaks(world, client):
    world.mark("begin")
    client.zadd("board", {"ann": 1})
    assert world.dump() == 'database 0\n"board" zset\n  "ann" 1\n'
    assert world.dump("other*") == ""
    assert world.leaks(since="begin") == ['key 0 "board" zset']


def test_diff(world, client):
    client.hset("user:1", mapping={"name": "ann", "visits": 7})
    before = world.name + "-before"
    world.snapshot(before)
    assert world.diff(before) == ""
    client.hincrby("user:1", "visits")
    assert world.diff(before) == 'database 0\n "user:1" hash\n-  "visits" "7"\n+  "visits" "8"\n'
    world.forget(before)
    with pytest.raises(ReplyError, match="no world or snapshot"):
        world.diff(before)


def test_chaos(world):
    world.seed(1)
    world.command("SADD", "fruit", "apple", "banana", "cherry", "date", "elder")
    order = world.command("SMEMBERS", "fruit")
    assert world.command("SMEMBERS", "fruit") == order
    world.chaos.on("order")
    assert world.chaos.status() == {"evict": False, "order": True, "scan": False, "time": False}
    assert [world.command("SMEMBERS", "fruit") for _ in range(10)] != [order] * 10
    world.chaos.off("order")
    assert world.command("SMEMBERS", "fruit") == order


def test_faults(world, client):
    world.faults.add("full", "ON", "COMMAND", "set", "DO", "OOM", "TIMES", 1)
    world.faults.add("slow", "ON", "KEY", "k", "DO", "DELAY", 10)
    note = "struck nothing: clients sent no command"
    assert world.faults.list() == [("full", "ON COMMAND set DO OOM TIMES 1", 0, 0, note), ("slow", "ON KEY k DO DELAY 10", 0, 0, note)]
    with pytest.raises(redis.exceptions.OutOfMemoryError):
        client.set("other", "v")
    world.wait_for("FAULT", "full", 1)
    assert [(fault.seen, fault.hits) for fault in world.faults.list()] == [(1, 1), (0, 0)]
    world.faults.clear("full")
    assert [fault.id for fault in world.faults.list()] == ["slow"]
    world.faults.clear()
    assert world.faults.list() == []


def test_a_fault_that_strikes_nothing(miniserver):
    with pytest.warns(FaultWarning, match="redis-py sends INCRBY for incr"), miniserver.world() as world:
        world.faults.add("lost", "ON", "COMMAND", "incr", "DO", "LOST-REPLY")
    world = miniserver.world()
    with warnings.catch_warnings(), redis.from_url(world.url) as client:
        warnings.simplefilter("error")
        world.faults.add("any", "ON", "ANY", "LIB-NAME", "redis-py*", "DO", "ERROR", "ERR no", "TIMES", 1)
        world.faults.add("late", "ON", "COMMAND", "incrby", "DO", "DROP", "AFTER", 10)
        with pytest.raises(redis.ResponseError, match="no"):
            client.ping()
        assert client.incr("n") == 1
    with pytest.warns(FaultWarning) as caught:
        world.close()
    assert [str(warning.message) for warning in caught] == [
        "fault late ON COMMAND incrby DO DROP AFTER 10 struck nothing: it let all that it saw pass, 1 in number"
    ]


def test_outage(world, client):
    client.set("k", "v")
    world.outage.begin("HANG", "FOR", "5s", "ON", "CLIENT", "")
    hanging = threading.Thread(target=client.incr, args=("n",))
    hanging.start()
    world.wait_for_outage(1)
    assert world.command("EXISTS", "n") == 0
    world.outage.end()
    hanging.join()
    assert world.command("GET", "n") == "1"


def test_down_and_restart():
    with Server() as server, server.world() as world:
        client = redis.from_url(world.url, decode_responses=True, retry=Retry(NoBackoff(), 1))
        client.set("k", "v")
        script = client.script_load("return 1")
        world.outage.begin("DOWN")
        with pytest.raises(redis.ConnectionError, match="refused"):
            client.get("k")
        assert world.outage.struck() == 1
        assert world.command("GET", "k") == "v"
        world.outage.end()
        assert client.get("k") == "v"
        server.restart()
        assert client.get("k") == "v"
        assert client.script_exists(script) == [False]
        server.restart(empty=True)
        assert client.get("k") is None


def test_texts_that_are_not_utf8(world, client):
    world.command("SET", b"\xff", "é")
    assert world.command("KEYS", "*") == ["\udcff"]
    assert client.get(b"\xff") == "é"


async def test_asyncio(async_world):
    async with redis.asyncio.from_url(async_world.url) as client:
        worker = asyncio.create_task(client.blpop("jobs", 3600))
        await async_world.wait_for_blocked(1)
        await asyncio.gather(async_world.clock.advance(minutes=30), async_world.clock.advance(minutes=30))
        assert await worker is None
        async with await async_world.fork() as copy:
            assert await copy.dump() == ""
            await copy.faults.add("it", "ON", "KEY", "k", "DO", "DROP")
            assert [fault.id for fault in await copy.faults.list()] == ["it"]
            await copy.faults.clear("it")
            assert await copy.diff(async_world.name) == ""
            assert (await copy.chaos.status())["scan"] is False
            before = await copy.clock.freeze()
            assert await copy.clock.advance(seconds=1) - before == timedelta(seconds=1)
