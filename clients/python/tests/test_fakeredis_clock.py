"""The clock that follows Python's, which freezegun and time-machine stop and move."""

import asyncio
import importlib
import os
import signal
import threading
import time
from contextlib import contextmanager
from datetime import datetime, timedelta, timezone

import freezegun
import pytest
import redis
import time_machine
from miniserver_testkit import fakeredis as ours

THEN = datetime(2030, 1, 1, tzinfo=timezone.utc)


@contextmanager
def freezegun_stops(at):
    with freezegun.freeze_time(at) as frozen:
        yield lambda **parts: frozen.tick(timedelta(**parts))


@contextmanager
def time_machine_stops(at):
    with time_machine.travel(at, tick=False) as travel:
        yield lambda **parts: travel.shift(timedelta(**parts))


@pytest.fixture(params=[freezegun_stops, time_machine_stops], ids=["freezegun", "time-machine"])
def stop(request):
    return request.param


@pytest.fixture(params=["fakeredis", "miniserver_testkit.fakeredis"], ids=["original", "ours"])
def fakeredis(request):
    return importlib.import_module(request.param)


def test_a_session_expires(fakeredis, stop):
    client = fakeredis.FakeRedis()
    with stop(THEN) as tick:
        client.set("session", "alice", ex=10)
        assert client.time() == (THEN.timestamp(), 0)
        tick(seconds=9)
        assert client.ttl("session") == 1 and client.pttl("session") == 1000
        tick(seconds=2)
        assert client.get("session") is None
        assert client.xadd("log", {"k": "v"}) == b"%d-0" % ((THEN.timestamp() + 11) * 1000)
        assert client.eval("return redis.call('TIME')[1]", 0) == b"%d" % (THEN.timestamp() + 11)


def test_the_moment_of_a_deadline(fakeredis, stop):
    """At that millisecond a key is gone; in the original it goes after it."""
    client = fakeredis.FakeRedis()
    with stop(THEN) as tick:
        client.set("session", "alice", ex=10)
        tick(seconds=10)
        assert (client.get("session") is None) == (fakeredis is ours)


def test_keys_of_other_times(fakeredis, stop):
    client = fakeredis.FakeRedis()
    client.set("now", "v", ex=3600)
    with stop(THEN):
        assert client.get("now") is None
        client.set("then", "v", ex=3600)
    assert client.ttl("then") > timedelta(days=1).total_seconds()
    assert abs(client.time()[0] - time.time()) < 60


def test_time_goes_back(fakeredis, stop):
    client = fakeredis.FakeRedis()
    with stop(THEN):
        client.set("k", "v", ex=60)
        with stop(THEN - timedelta(hours=1)):
            assert client.ttl("k") == 3660


def test_threads(fakeredis, stop):
    server, seen = fakeredis.FakeServer(), []
    with stop(THEN) as tick:
        fakeredis.FakeRedis(server=server).set("k", "v", ex=60)
        tick(seconds=30)
        thread = threading.Thread(target=lambda: seen.append(fakeredis.FakeRedis(server=server).ttl("k")))
        thread.start()
        thread.join()
    assert seen == [30]


def test_a_command_that_blocks_while_the_time_stands(fakeredis, stop):
    """It waits by the machine's clock, or nothing would ever end it."""
    client = fakeredis.FakeRedis()
    with stop(THEN):
        assert client.blpop("jobs", 0.1) is None
        assert client.execute_command("XREAD", "BLOCK", "100", "STREAMS", "log", "$") in (None, [], {})
        client.rpush("jobs", "mail")
        assert client.blpop("jobs", 60)[1] == b"mail"
        assert client.time() == (THEN.timestamp(), 0)


async def test_a_command_that_blocks_in_asyncio_while_the_time_stands(stop):
    with stop(THEN):
        client = ours.FakeAsyncRedis()
        assert await client.bzpopmin("jobs", 0.1) is None
        await client.aclose()


def test_timeouts_that_pass_before_the_command_arrives(stop):
    client = ours.FakeRedis()
    with stop(THEN):
        assert [client.blpop("jobs", 0.0001) for _ in range(20)] == [None] * 20


def test_a_closed_server_stays_closed(stop):
    witness, server = ours.FakeServer(), ours.FakeServer()
    client = ours.FakeRedis(server=server)
    client.ping()
    name = server.world.name
    server.close()
    with stop(THEN), pytest.raises(redis.ConnectionError):
        client.ping()
    ours.FakeRedis(server=witness).ping()
    assert name not in [entry[1] for entry in witness.world.server.command("MINI.WORLD", "LIST")]


def test_a_command_that_blocks_when_the_time_stops(stop):
    """It began by the machine's clock, and ends by it, wherever the test is then."""
    server, replies = ours.FakeServer(), []
    worker = threading.Thread(target=lambda: replies.append(ours.FakeRedis(server=server).blpop("jobs", 0.3)))
    worker.start()
    server.world.wait_for_blocked(1)
    with stop(datetime(2020, 1, 1, tzinfo=timezone.utc)):
        ours.FakeRedis(server=server).ping()
        worker.join()
    assert replies == [None]


def test_a_timeout_of_a_server_that_is_killed(monkeypatch, capfd):
    from miniserver_testkit.fakeredis import host

    monkeypatch.setattr(host, "_hosts", {})
    server, timers = ours.FakeServer(), threading.active_count()
    client = ours.FakeRedis(server=server)
    with freezegun.freeze_time(THEN):
        pid = client.info("server")["process_id"]
        threading.Timer(0.05, os.kill, [pid, signal.SIGKILL]).start()
        with pytest.raises(redis.ConnectionError):
            client.blpop("jobs", 0.2)
    for thread in threading.enumerate():
        if isinstance(thread, threading.Timer):
            thread.join(60)
    assert threading.active_count() == timers and capfd.readouterr().err == ""
    host.close_all()


def test_no_thread_is_left():
    server = ours.FakeServer()
    worker = threading.Thread(target=lambda: ours.FakeRedis(server=server).blpop("jobs", 3600))
    worker.start()
    server.world.wait_for_blocked(1)
    ours.FakeRedis(server=server).rpush("jobs", "mail")
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(60)
    assert threading.active_count() == 1


def test_a_clock_that_runs_elsewhere():
    server = ours.FakeServer()
    client = ours.FakeRedis(server=server)
    with time_machine.travel(THEN, tick=True) as travel:
        client.set("k", "v", ex=3600)
        assert 0 <= client.time()[0] - THEN.timestamp() < 60
        travel.shift(timedelta(minutes=30))
        assert 1740 < client.ttl("k") <= 1800
        assert client.blpop("jobs", 0.05) is None
    with freezegun.freeze_time(THEN, tick=True):
        assert 3540 < client.ttl("k") <= 3600
        assert server.world.command("MINI.CLOCK", "STATUS")[3] == "1", "it runs"


def test_a_clock_that_the_test_itself_steers():
    """It stays where it is as long as Python's runs as it did."""
    server = ours.FakeServer()
    server.world.clock.freeze()
    server.world.clock.set(THEN)
    client = ours.FakeRedis(server=server)
    assert client.time() == client.time() == (THEN.timestamp(), 0)
    server.world.clock.advance(hours=1)
    assert client.time() == (THEN.timestamp() + 3600, 0)


def test_a_client_that_is_told():
    """follow is for those who send nothing themselves."""
    with freezegun.freeze_time(THEN) as frozen, ours.FakeServer() as server:
        ours.FakeRedis(server=server).set("k", "v", ex=60)
        frozen.tick(60)
        server.follow()
        assert server.world.dump() == ""


@pytest.mark.parametrize("follow", [False, True, None])
def test_whether_it_follows(follow):
    with freezegun.freeze_time(THEN), ours.FakeServer(follow_clock=follow) as server:
        seconds = ours.FakeRedis(server=server).time()[0]
    assert (seconds == THEN.timestamp()) == (follow is not False)


def test_what_it_costs():
    """The server is told the time when it has changed, and else nothing."""
    server = ours.FakeServer()
    client = ours.FakeRedis(server=server)

    def told():
        return client.info("commandstats").get("cmdstat_mini.clock|set", {"calls": 0})["calls"]

    with freezegun.freeze_time(THEN) as frozen:
        client.ping()
        before = told()
        for _ in range(50):
            client.incr("n")
        assert told() == before
        for _ in range(5):
            frozen.tick(1)
            client.incr("n")
        assert told() == before + 5


def test_event_loops(stop):
    async def expires(tick):
        async with ours.FakeAsyncRedis() as client:
            await client.set("k", "v", ex=60)
            tick(seconds=60)
            return await client.get("k")

    with stop(THEN) as tick:
        assert asyncio.run(expires(tick)) is None
