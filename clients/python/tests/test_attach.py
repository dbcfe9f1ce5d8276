"""Servers that others have started."""

import contextlib
import os
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import redis
from miniserver_testkit import LeftBehindWarning, Server
from miniserver_testkit.program import Program, find


@pytest.fixture(scope="module")
def running():
    """A server that others have started."""
    with Server("--requirepass", "se:cret/") as server:
        yield server


def names(server):
    return [entry[1] for entry in server.command("MINI.WORLD", "LIST")]


def test_each_has_worlds_of_its_own(running):
    with Server(url=running.url) as one, Server(url=running.url) as other:
        assert (one.pid, one.version, one.log) == (running.pid, running.version, "")
        mine, yours = one.world(), other.world()
        assert mine.name != yours.name
        with redis.from_url(mine.url) as client:
            client.set("k", "v")
        assert mine.command("GET", "k") == "v"
        assert yours.command("GET", "k") is None
        mine.clock.advance(hours=1)
        mine.close()
        assert mine.name not in names(running)
        assert yours.name in names(running)
    assert yours.name not in names(running)
    assert running.command("PING") == "PONG"


def test_the_environment_has_the_address(running, monkeypatch):
    monkeypatch.setenv("MINISERVER_URL", running.url)
    with Server() as server:
        assert server.pid == running.pid
    with Server("--maxmemory", "10mb") as own:
        assert own.pid != running.pid
    with pytest.raises(ValueError, match="takes no options"):
        Server("--maxmemory", "10mb", url=running.url)


def test_what_is_left_behind_is_told_and_removed(running):
    server = Server(url=running.url)
    world, other, closed = server.world(), server.world("orders"), server.world()
    closed.command("SET", "k", "v")
    closed.close()
    other.command("SET", "k", "v")
    client = redis.from_url(world.url, client_name="worker", single_connection_client=True)
    client.set("session", "alice", ex=60)
    for i in range(20):
        client.set(f"k{i}", "v")
    subscriber = redis.from_url(world.url).pubsub()
    subscriber.subscribe("news")
    subscriber.get_message(timeout=5)
    client.set("lock", "me", nx=True)
    world.faults.add("all", "ON", "ANY", "DO", "DROP")
    with pytest.warns(LeftBehindWarning) as told:
        server.close()
    assert len(told) == 1
    text = str(told[0].message)
    assert text.startswith(f"left behind in the world {world.name}: client ")
    assert " named worker; " in text
    assert '; lock 0 "lock" of client ' in text
    assert text.endswith(" more")
    assert names(running) == ["default", "orders"]  # that has a name which others may know
    with running.world("orders") as orders:
        assert orders.command("GET", "k") == "v"
    server.close()


def test_a_world_that_is_empty_is_no_news(running, recwarn):
    with Server(url=running.url) as server:
        world = server.world()
        world.command("PING")
    assert not recwarn.list
    assert world.name not in names(running)


def test_a_killed_process_leaves_no_worlds(running):
    program = "import sys; from miniserver_testkit import Server; w = Server(url=sys.argv[1]).world(); w.command('SET', 'k', 'v'); print(w.name, flush=True)"
    command = [sys.executable, "-c", program + "; sys.stdin.read()", running.url]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        name = process.stdout.readline().strip()
        assert name in names(running)
        process.kill()
    while name in names(running):
        time.sleep(0.01)


def test_tls():
    with Server("--requirepass", "secret", tls=True) as running, Server(url=running.url) as server, server.world() as world:
        assert running.url == f"rediss://:secret@127.0.0.1:{running.port}"
        assert server.certificate == running.certificate
        with redis.from_url(world.url, ssl_ca_data=server.certificate) as client:
            client.set("k", "v")
        assert world.command("GET", "k") == "v"


def test_a_server_that_ends_first(running):
    mortal = Server("--maxclients", "100")
    server = Server(url=mortal.url)
    server.world().command("SET", "k", "v")
    mortal.close()
    with pytest.warns(RuntimeWarning, match="is gone: "):
        server.close()


@contextlib.contextmanager
def listener(answer):
    """Listen, and let answer treat each connection."""
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def serve():
            with contextlib.suppress(OSError):
                while True:
                    answer(listening.accept()[0])

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        thread.join()


def test_a_server_that_starts_later(running):
    """A port of a container may accept and close connections before its server is there."""
    seen = []

    def forward(connection):
        seen.append(connection)
        if len(seen) < 3:
            connection.close()
            return
        server = socket.create_connection((running.host, running.port))
        for source, target in (connection, server), (server, connection):
            threading.Thread(target=copy, args=(source, target), daemon=True).start()

    def copy(source, target):
        with contextlib.suppress(OSError):
            while data := source.recv(65536):
                target.sendall(data)
            target.shutdown(socket.SHUT_RDWR)

    with listener(forward) as url, Server(url=url.replace("://", "://:se%3Acret%2F@")) as server:
        assert server.pid == running.pid
    assert len(seen) >= 3


def test_others_that_listen(monkeypatch):
    monkeypatch.setenv("MINISERVER_START_TIMEOUT", "0.3")
    kept = []
    with listener(kept.append) as url, pytest.raises(ConnectionError, match=f"{url} cannot be reached: timed out"):
        Server(url=url)
    with listener(lambda connection: connection.close()) as url, pytest.raises(ConnectionError, match=f"{url} cannot be reached: "):
        Server(url=url)
    with listener(lambda connection: connection.sendall(b"SSH-2.0-OpenSSH\r\n")) as url:
        with pytest.raises(ConnectionError, match=f"{url} cannot be reached: unknown reply b'SSH"):
            Server(url=url)
        tls = url.replace("redis:", "rediss:")
        with pytest.raises(ConnectionError, match=f"{tls} cannot be reached: .*SSL"):
            Server(url=tls)


def test_nobody_listens(monkeypatch):
    monkeypatch.setenv("MINISERVER_START_TIMEOUT", "0.1")
    with listener(lambda _: None) as url:
        pass
    with pytest.raises(ConnectionError, match=f"{url} cannot be reached: "):
        Server(url=url)


def test_a_server_without_the_kit():
    program = Program(find(), "--port", "0", "--ready-json", "--exit-with-parent")
    try:
        with pytest.raises(RuntimeError, match=f"{program.ready['url']} has no test kit: start it with miniserver --test-kit yes"):
            Server(url=program.ready["url"])
    finally:
        program.close()


def test_passwords(running):
    address = f"127.0.0.1:{running.port}"
    with pytest.raises(RuntimeError, match=f"^redis://{address} wants a password, as in redis://:PASSWORD@host:6379$"):
        Server(url=f"redis://{address}")
    with pytest.raises(RuntimeError, match=f"^redis://{address} does not let the kit in: WRONGPASS"):
        Server(url=f"redis://:wrong@{address}")
    with Server(url=f"redis://default:se%3Acret%2F@{address}/0") as server:
        assert server.pid == running.pid


@pytest.mark.parametrize("url", ["localhost:6379", "http://localhost", "redis://", "redis:///tmp/socket", "redis://alice:secret@localhost"])
def test_bad_urls(url):
    with pytest.raises(ValueError, match="^the URL of a server "):
        Server(url=url)


SHARED = """
import pytest, redis

@pytest.mark.parametrize("number", range(12))
def test_alone(world, number):
    client = redis.from_url(world.url)
    assert client.incr("k") == 1
    world.clock.advance(hours=number)
    client.close()

def test_leaves_a_client(miniserver):
    global kept
    kept = redis.from_url(miniserver.world().url, single_connection_client=True)
    kept.set("k", "v")
"""

PIDS = """
import os, pytest

@pytest.mark.parametrize("number", range(9))
def test_server(miniserver, number):
    print(f"worker {os.getpid()} of server {miniserver.pid}")
"""


def test_workers_of_xdist_share_a_server(running, tmp_path):
    (tmp_path / "test_shared.py").write_text(SHARED)
    env = os.environ | {"MINISERVER_URL": running.url}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "-p", "no:cacheprovider", str(tmp_path)]
    out = subprocess.run(command, env=env, capture_output=True, text=True)
    assert "13 passed" in out.stdout, out.stdout + out.stderr
    assert "LeftBehindWarning: left behind in the world " in out.stdout
    assert names(running) == ["default"]


def test_workers_of_xdist_share_a_server_of_the_run(tmp_path, monkeypatch):
    monkeypatch.delenv("MINISERVER_URL", raising=False)
    shutil.copy(Path(__file__).with_name("xdist_conftest.py"), tmp_path / "conftest.py")
    (tmp_path / "test_shared.py").write_text(PIDS)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "3", "-p", "no:cacheprovider", "-rP", str(tmp_path)]
    out = subprocess.run(command, capture_output=True, text=True).stdout
    assert "9 passed" in out, out
    assert len(set(re.findall("worker (.*) of", out))) == 3
    assert len(set(re.findall("of (.*)", out))) == 1
