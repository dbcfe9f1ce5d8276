"""Starting and ending the process."""

import os
import select
import subprocess
import sys

import pytest
import redis
from miniserver_testkit import Server, World


def test_a_server_ends_with_its_block():
    with Server("--maxmemory", "10mb") as server:
        assert server.command("CONFIG", "GET", "maxmemory") == ["maxmemory", "10485760"]
        assert server.command("PING") == "PONG"
    assert "bye bye" in server.log
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_server_with_a_password():
    with Server("--requirepass", "se:cret/") as server, server.world("orders") as world:
        assert world.url == f"redis://world:orders%3Ase%3Acret%2F@127.0.0.1:{server.port}"
        with redis.from_url(world.url) as client:
            client.set("k", "v")
        assert world.command("GET", "k") == "v"
        assert server.command("EXISTS", "k") == 0
        with pytest.raises(redis.AuthenticationError), redis.Redis(port=server.port) as stranger:
            stranger.get("k")


def test_a_server_with_tls():
    with Server("--tls-self-signed", "--requirepass", "secret") as server, server.world("orders") as world:
        assert world.url == f"rediss://world:orders%3Asecret@127.0.0.1:{server.port}"
        with redis.from_url(world.url, ssl_ca_data=server.certificate) as client:
            client.set("k", "v", ex=3600)
            world.clock.advance(hours=1)
            assert client.get("k") is None
        with pytest.raises(redis.ConnectionError), redis.from_url(world.url) as stranger:
            stranger.get("k")


def test_a_server_with_a_certificate_of_ours(tmp_path):
    cert, key = tmp_path / "server.crt", tmp_path / "server.key"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
        + ["-out", cert, "-keyout", key],
        check=True, capture_output=True,
    )
    files = ["--tls-cert-file", cert, "--tls-key-file", key]
    with Server("--tls-self-signed", *files) as server, server.world() as world:
        assert server.certificate == cert.read_text()
        with redis.from_url(world.url, ssl_ca_certs=str(cert)) as client:
            client.set("k", "v")
        assert world.command("GET", "k") == "v"


def test_a_wrong_option_is_told():
    with pytest.raises(RuntimeError, match="unknown setting"):
        Server("--no-such-option", "1")


def test_no_binary(monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("MINISERVER_BINARY", raising=False)
    with pytest.raises(FileNotFoundError, match="set MINISERVER_BINARY"):
        Server()


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux tells when a process ends that is not a child")
def test_a_killed_test_leaves_no_server():
    """The server ends with the process that started it, also when that is killed."""
    program = "import sys; from miniserver_testkit import Server; s = Server(); print(s.pid, flush=True); sys.stdin.read()"
    with subprocess.Popen([sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as test:
        pid = int(test.stdout.readline())
        server = os.pidfd_open(pid)
        test.kill()
    assert select.select([server], [], [], 60)[0], "the server has ended"
    os.close(server)


def test_worlds_go(miniserver):
    world = World(miniserver, "passing")
    assert world.url.startswith("redis://world:passing@")
    world.command("SET", "k", "v")
    assert "passing" in [entry[1] for entry in miniserver.command("MINI.WORLD", "LIST")]
    world.close()
    assert "passing" not in [entry[1] for entry in miniserver.command("MINI.WORLD", "LIST")]
