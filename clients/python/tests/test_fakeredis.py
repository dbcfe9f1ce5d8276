"""What our fakeredis does that the original does not, and attacks."""

import asyncio
import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import redis
import redis.asyncio
from miniserver_testkit import Server, fakeredis


def process_of(server):
    """Return what INFO says of the process of a server."""
    return fakeredis.FakeRedis(server=server).info("server")["process_id"]


def worlds(server):
    """Return the names of all worlds of a server's process."""
    return [entry[1] for entry in server.world.server.command("MINI.WORLD", "LIST")]


def test_the_world_is_steered():
    with fakeredis.FakeServer() as server:
        client = fakeredis.FakeRedis(server=server)
        client.set("session", "alice", ex=3600)
        server.world.clock.advance(hours=1)
        assert client.get("session") is None
        server.world.faults.add("lost", "ON", "COMMAND", "incrby", "DO", "LOST-REPLY", "TIMES", 1)
        with pytest.raises(redis.ConnectionError):
            client.incr("orders")
        assert client.get("orders") == b"1"
        with redis.from_url(server.url) as other:
            assert other.get("orders") == b"1"


def test_servers_share_a_process_unless_their_options_differ():
    one, other, old = fakeredis.FakeServer(), fakeredis.FakeServer(server_type="dragonfly"), fakeredis.FakeServer(version=6)
    limited = fakeredis.FakeServer(config={b"maxmemory": b"10mb"})
    assert process_of(one) == process_of(other)
    assert len({process_of(one), process_of(old), process_of(limited)}) == 3
    assert fakeredis.FakeRedis(server=limited).config_get("maxmemory") == {"maxmemory": "10485760"}


@pytest.mark.parametrize(
    "version, server_type, shown",
    [
        (None, "redis", "8.6"), (5, "redis", "6.2"), (6, "redis", "6.2"), ((6, 0), "redis", "6.2"), (7, "redis", "7.4"), ("7.1", "redis", "7.0"),
        ((7, 2, 4), "redis", "7.2"), (8.0, "redis", "8.0"), ((8, 5), "redis", "8.4"), ((8,), "redis", "8.10"), (9, "redis", "8.10"),
        (None, "valkey", "9.1"), ((7, 2), "valkey", "8.1"), (8, "valkey", "8.1"), ((9, 0), "valkey", "9.0"), (9, "valkey", "9.1"), (None, "kividb", "8.6"),
    ],
)
def test_releases(version, server_type, shown):
    info = fakeredis.FakeRedis(version=version, server_type=server_type).info("server")
    assert info.get("valkey_version", info["redis_version"]).startswith(shown)


def test_a_release_refuses_what_it_lacks():
    with pytest.raises(redis.ResponseError, match="unknown command `LCS`"):
        fakeredis.FakeRedis(version=6).lcs("a", "b")
    with pytest.raises(ValueError, match="not a version: 'seven'"):
        fakeredis.FakeRedis(version="seven")


def test_no_connection():
    client = fakeredis.FakeRedis(connected=False)
    with pytest.raises(redis.ConnectionError, match="emulating"):
        client.get("k")
    with pytest.raises(TypeError, match="no_such_parameter"):
        fakeredis.FakeRedis(no_such_parameter=1)


# Passwords, and what else all worlds of a process share


def test_any_password_will_do():
    assert fakeredis.FakeRedis(username="alice", password="secret").ping()
    assert fakeredis.FakeRedis.from_url("redis://:secret@localhost").ping()


def test_wrong_parameters():
    with pytest.raises(RuntimeError, match="unknown setting"):
        fakeredis.FakeRedis(server=fakeredis.FakeServer(config={b"no-such-parameter": b"1"})).ping()


def test_a_password():
    server = fakeredis.FakeServer(config={b"requirepass": b"a secret: \xc3\xa9\r\n"})
    assert fakeredis.FakeRedis(server=server, password="a secret: \u00e9\r\n").ping()
    for password in (None, "wrong"):
        with pytest.raises(redis.AuthenticationError):
            fakeredis.FakeRedis(server=server, password=password).ping()


def test_users_and_parameters_end_with_the_server():
    other = fakeredis.FakeRedis()
    before = other.config_get("maxmemory-policy")
    with fakeredis.FakeServer() as server:
        client = fakeredis.FakeRedis(server=server)
        client.config_set("maxmemory-policy", "allkeys-lru")
        client.pipeline().config_set("maxmemory", "20mb").execute()
        client.acl_setuser("alice", enabled=True, passwords=["+secret"], commands=["+get"], keys=["*"])
        alice = fakeredis.FakeRedis(server=server, username="alice", password="secret")
        assert alice.get("k") is None
        with pytest.raises(redis.exceptions.NoPermissionError):
            alice.set("k", "v")
        with pytest.raises(redis.AuthenticationError):
            fakeredis.FakeRedis(server=server, username="alice", password="wrong").ping()
        client.config_set("requirepass", "secret")
        with pytest.raises(redis.AuthenticationError):
            fakeredis.FakeRedis(server=server).ping()
        assert fakeredis.FakeRedis(server=server, password="secret").ping()
        assert fakeredis.FakeRedis(password="anything").ping(), "others go on"
    assert other.config_get("maxmemory-policy") == before
    assert other.config_get("maxmemory") == {"maxmemory": "0"}
    assert other.config_get("requirepass") == {"requirepass": ""}
    assert other.acl_users() == ["default"]
    assert fakeredis.FakeRedis().ping()


# A server that others have started


@pytest.mark.parametrize("tls", [False, True])
def test_a_server_that_others_have_started(monkeypatch, tls):
    from miniserver_testkit.fakeredis import host

    with Server("--requirepass", "secret", tls=tls) as running:
        monkeypatch.setattr(host, "_hosts", {})
        monkeypatch.setenv("MINISERVER_URL", running.url)
        with fakeredis.FakeServer() as server:
            fakeredis.FakeRedis(server=server).set("k", "v")

            async def get():
                async with fakeredis.FakeAsyncRedis(server=server) as client:
                    return await client.get("k")

            assert asyncio.run(get()) == b"v"
            assert process_of(server) == running.pid
            assert process_of(fakeredis.FakeServer(version=6)) != running.pid, "it cannot be of another release"
        assert [entry[1] for entry in running.command("MINI.WORLD", "LIST")] == ["default"]
        host.close_all()


def test_nothing_is_left_on_a_server_that_others_have_started(monkeypatch):
    program = """
        from miniserver_testkit import fakeredis
        for host in "ab":
            fakeredis.FakeRedis(host=host).set("k", "v")
        client = fakeredis.FakeRedis()
        client.set("k", "v")
        print(client.info("server")["process_id"])
    """
    with Server() as running:
        monkeypatch.setenv("MINISERVER_URL", running.url)
        assert run(program) == [str(running.pid)], "and it does not warn"
        assert [entry[1] for entry in running.command("MINI.WORLD", "LIST")] == ["default"]


# Worlds go


def test_a_closed_server():
    server = fakeredis.FakeServer()
    client = fakeredis.FakeRedis(server=server)
    client.set("k", "v")
    witness = fakeredis.FakeServer()
    name = server.world.name
    assert name in worlds(witness)
    server.close()
    server.close()
    assert name not in worlds(witness)
    with pytest.raises(redis.ConnectionError):
        client.get("k")
    with pytest.raises(redis.ConnectionError, match="this FakeServer is closed"):
        client.get("k")


@pytest.fixture
def witness():
    """A server that is there before and after."""
    with fakeredis.FakeServer() as server:
        fakeredis.FakeRedis(server=server).set("k", "v")
        fakeredis.FakeRedis().set("k", "v")
        gc.collect()
        yield server


def descriptors():
    """Return how many files and sockets are open, where the system tells."""
    return len(os.listdir("/proc/self/fd")) if os.path.isdir("/proc/self/fd") else 0


def test_the_only_server_leaves_nothing(monkeypatch):
    from miniserver_testkit.fakeredis import host

    monkeypatch.setattr(host, "_hosts", {})
    client = fakeredis.FakeRedis()
    client.set("k", "v")
    process = host._hosts[()].server
    del client
    gc.collect()
    assert [entry[1] for entry in process.command("MINI.WORLD", "LIST")] == ["default"]
    host.close_all()


def test_a_thousand_servers_leave_nothing(witness):
    watch = fakeredis.FakeRedis(server=witness)
    before, bytes_before, open_before = worlds(witness), watch.info("memory")["used_memory"], descriptors()
    for n in range(1000):
        client = fakeredis.FakeRedis() if n % 2 else fakeredis.FakeRedis(server=fakeredis.FakeServer())
        client.set("k", "v" * 1000)
        if n % 10 == 0:
            client.pubsub().subscribe("c")
    del client
    gc.collect()
    assert worlds(witness) == before
    assert watch.info("memory")["used_memory"] < bytes_before + 200_000, "200 bytes of each"
    assert descriptors() == open_before
    assert threading.active_count() == 1


async def test_clients_for_asyncio_that_nobody_closes_leave_nothing(witness, recwarn):
    before = worlds(witness)
    for _ in range(100):
        client = fakeredis.FakeAsyncRedis()
        await client.set("k", "v")
    del client
    gc.collect()
    assert worlds(witness) == before
    assert [str(warning.message) for warning in recwarn] == []


# Threads, event loops, processes


def test_threads_of_one_server():
    server = fakeredis.FakeServer()
    client = fakeredis.FakeRedis(server=server)
    with ThreadPoolExecutor(16) as threads:
        list(threads.map(lambda _: client.incr("n"), range(500)))
        list(threads.map(lambda _: fakeredis.FakeRedis(server=server).incr("n"), range(100)))
    assert client.get("n") == b"600"


def test_threads_that_all_start_the_first_server(monkeypatch):
    from miniserver_testkit.fakeredis import host

    monkeypatch.setattr(host, "_hosts", {})
    with ThreadPoolExecutor(16) as threads:
        processes = set(threads.map(lambda _: process_of(fakeredis.FakeServer()), range(32)))
    assert len(processes) == 1
    host.close_all()


def test_event_loops_in_threads():
    server = fakeredis.FakeServer()

    async def work():
        async with fakeredis.FakeAsyncRedis(server=server) as client:
            return [await client.incr("n") for _ in range(50)]

    with ThreadPoolExecutor(8) as threads:
        numbers = sum(threads.map(lambda _: asyncio.run(work()), range(8)), [])
    assert sorted(numbers) == list(range(1, 401))


async def test_a_task_that_is_cancelled():
    server = fakeredis.FakeServer()
    # With a timeout redis-py sends by asyncio.wait_for, which until Python 3.12 forgets a cancellation that comes just as it ends.
    client = fakeredis.FakeAsyncRedis(server=server, single_connection_client=True, socket_timeout=None)
    task = asyncio.create_task(client.blpop("jobs", 0))
    await asyncio.to_thread(server.world.wait_for_blocked, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await client.set("k", "v") and await client.get("k") == b"v"
    await client.aclose()


async def test_large_replies():
    client = fakeredis.FakeAsyncRedis()
    await client.set("k", "v" * 10_000_000)
    await client.rpush("list", *map(str, range(10_000)))
    assert len(await client.get("k")) == 10_000_000
    assert await client.lrange("list", 0, -1) == [str(n).encode() for n in range(10_000)]
    await client.aclose()


def run(program, warnings="error"):
    """Run a program in a process of its own and return what it prints."""
    command = [sys.executable, "-W", warnings, "-c", textwrap.dedent(program)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return done.stdout.split()


@pytest.mark.parametrize("fault", ["DROP", "LOST-REPLY", "ERROR boom"])
async def test_a_fault_strikes_the_first_command_and_no_login(fault):
    with fakeredis.FakeServer() as server:
        client, later = fakeredis.FakeRedis(server=server), fakeredis.FakeAsyncRedis(server=server)
        server.world.faults.add("any", "ON", "ANY", "DO", *fault.split(), "TIMES", 2)
        with pytest.raises(redis.RedisError, match="boom|^Connection closed"):
            client.incr("orders")
        with pytest.raises(redis.RedisError, match="boom|^Connection closed"):
            await later.incr("orders")
        [struck] = server.world.faults.list()
        assert (struck.seen, struck.hits) == (2, 2)
        assert client.get("orders") == (b"2" if fault == "LOST-REPLY" else None)
        await later.aclose()


def test_an_outage():
    """The error does not say that the server is gone."""
    with fakeredis.FakeServer() as server:
        client = fakeredis.FakeRedis(server=server)
        client.set("k", "v")
        server.world.outage.begin("DOWN")
        for _ in range(2):
            with pytest.raises(redis.ConnectionError) as error:
                client.get("k")
            assert "gone" not in str(error.value)
        server.world.outage.end()
        assert client.get("k") == b"v"


def test_a_server_starts_while_a_test_has_replaced_what_that_needs():
    program = """
        import freezegun
        from unittest import mock
        from miniserver_testkit import fakeredis
        refused, absent = mock.Mock(side_effect=AssertionError), mock.Mock(return_value=False)
        with mock.patch("subprocess.Popen", refused), mock.patch("threading.Thread", refused):
            with mock.patch("os.path.exists", absent), mock.patch("os.path.isfile", absent):
                with freezegun.freeze_time("2030-01-01", auto_tick_seconds=15):
                    print(fakeredis.FakeRedis().set("k", "v"))
    """
    assert run(program) == ["True"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_fork():
    """A child sees what its parent has, has servers of its own, and takes nothing along when it ends."""
    program = """
        import os
        from miniserver_testkit import Server, fakeredis
        server = fakeredis.FakeServer()
        client = fakeredis.FakeRedis(server=server)
        client.set("k", "parent")
        mine = client.info("server")["process_id"]
        child = os.fork()
        if child == 0:
            assert client.get("k") == b"parent"
            client.set("k", "child")
            own = fakeredis.FakeRedis()
            assert own.set("k", "v") and own.info("server")["process_id"] != mine
            del server, client, own
            raise SystemExit
        assert os.waitpid(child, 0)[1] == 0
        assert client.get("k") == b"child"
        print(mine, fakeredis.FakeRedis(server=server).info("server")["process_id"])
    """
    before, after = run(program, warnings="default::DeprecationWarning")
    assert before == after


def test_nothing_is_left_at_the_end():
    program = """
        import asyncio, contextlib, threading
        import redis
        from miniserver_testkit import fakeredis
        client = fakeredis.FakeRedis()
        client.set("k", "v")
        client.pubsub().subscribe("c")
        asyncio.run(fakeredis.FakeAsyncRedis(host="there").set("k", "v"))

        server = fakeredis.FakeServer()
        def work():
            with contextlib.suppress(redis.ConnectionError):  # it may still run when the server ends
                fakeredis.FakeRedis(server=server).blpop("jobs", 3600)
        threading.Thread(target=work, daemon=True).start()
        server.world.wait_for_blocked(1)
        print(client.info("server")["process_id"], fakeredis.FakeRedis(version=6).info("server")["process_id"])
    """
    for pid in run(program):
        with pytest.raises(ProcessLookupError):
            os.kill(int(pid), 0)


def test_a_server_that_is_killed(monkeypatch):
    from miniserver_testkit.fakeredis import host

    monkeypatch.setattr(host, "_hosts", {})
    server = fakeredis.FakeServer()
    client, late, named = fakeredis.FakeRedis(server=server), fakeredis.FakeRedis(server=server), fakeredis.FakeRedis(host="killed")
    client.set("k", "v")
    named.set("k", "v")
    os.kill(process_of(server), signal.SIGKILL)
    with pytest.raises(redis.ConnectionError):
        client.get("k")
    for each in (client, late):
        with pytest.raises(redis.ConnectionError, match=r"miniserver at .* does not answer .* A new FakeServer starts another process"):
            each.get("k")
    assert fakeredis.FakeRedis(server=fakeredis.FakeServer()).set("k", "v")
    assert fakeredis.FakeRedis(host="killed").get("k") is None
    server.close()
    host.close_all()


def test_a_command_that_blocks_when_the_server_is_killed(monkeypatch):
    from miniserver_testkit.fakeredis import host

    monkeypatch.setattr(host, "_hosts", {})
    server = fakeredis.FakeServer()
    with ThreadPoolExecutor() as threads:
        blocked = threads.submit(lambda: fakeredis.FakeRedis(server=server).blpop("jobs", 0))
        server.world.wait_for_blocked(1)
        os.kill(process_of(server), signal.SIGKILL)
        with pytest.raises(redis.ConnectionError):
            blocked.result()
    host.close_all()


def test_no_program(monkeypatch):
    from miniserver_testkit.fakeredis import host

    monkeypatch.setattr(host, "_hosts", {})
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("MINISERVER_BINARY", raising=False)
    with pytest.raises(redis.ConnectionError, match="set MINISERVER_BINARY"):
        fakeredis.FakeRedis().ping()


def test_timeouts_of_sockets_hold():
    server = fakeredis.FakeServer()
    with pytest.raises(redis.TimeoutError):
        fakeredis.FakeRedis(server=server, socket_timeout=0.05).blpop("jobs", 10)
    server.world.faults.add("slow", "ON", "COMMAND", "get", "DO", "DELAY", timedelta(hours=1) // timedelta(milliseconds=1))
    with pytest.raises(redis.TimeoutError):
        fakeredis.FakeRedis(server=server, socket_timeout=0.05).get("k")
