"""What redis-py sees of faults on some clients and of outages."""

import threading

import pytest
import redis
from miniserver_testkit import Server
from redis.backoff import NoBackoff
from redis.retry import Retry


def worker(world):
    """Return a client with a name that connects, and sends, once more if the connection breaks."""
    return redis.from_url(world.url, client_name="worker-1", decode_responses=True, retry=Retry(NoBackoff(), 1))


SELECTORS = ["ANY", "KEY k*", "COMMAND get", "CLIENT worker-*", "LIB-NAME redis-py*", "ADDR 127.0.0.1:*", "USER default", "ANY ID {id}"]


@pytest.mark.parametrize("on", SELECTORS)
def test_which_clients(world, on):
    with worker(world) as client:
        world.faults.add("f", "ON", *on.format(id=client.client_id()).split(), "DO", "ERROR", "ERR no")
        with pytest.raises(redis.ResponseError, match="no"):
            client.get("k")


@pytest.mark.parametrize("on", ["ANY", "COMMAND evalsha", "KEY n"])
def test_scripts_are_struck(world, on):
    with worker(world) as client:
        count = client.register_script("return redis.call('INCR', KEYS[1])")
        assert count(keys=["n"]) == 1
        world.faults.add("f", "ON", *on.split(), "DO", "ERROR", "ERR no")
        with pytest.raises(redis.ResponseError, match="no"):
            count(keys=["n"])
        assert world.command("MINI.FAULT", "CLEAR") == "OK"
        assert world.command("GET", "n") == "1"


@pytest.mark.parametrize("outage, error", [("CUT", "closed by server"), ("DOWN", "refused")])
def test_a_server_that_is_gone(outage, error):
    with Server() as server, server.world() as world, worker(world) as client:
        client.set("k", "v")
        world.outage.begin(outage)
        with pytest.raises(redis.ConnectionError, match=error):
            client.get("k")
        world.outage.end()
        assert client.get("k") == "v"


def test_new_clients_are_refused(world):
    with worker(world) as client, worker(world) as late:
        client.set("k", "v")
        world.outage.begin("REFUSE")
        assert client.get("k") == "v"
        with pytest.raises(redis.ConnectionError):
            late.get("k")
        assert world.outage.struck() > 0
        world.outage.end()
        assert late.get("k") == "v"


def test_a_server_that_hangs(world):
    with worker(world) as client:
        client.set("n", 1)
        world.outage.begin("HANG", "ON", "CLIENT", "worker-*", "FOR", "5s")
        hanging = threading.Thread(target=client.incr, args=("n",))
        hanging.start()
        world.wait_for_outage(1)
        assert world.command("GET", "n") == "1"
        world.clock.advance("5s")
        hanging.join()
        assert world.command("GET", "n") == "2"


def test_a_restart():
    with Server() as server, server.world() as world, worker(world) as client:
        client.set("k", "v")
        script = client.script_load("return 1")
        server.restart()
        assert client.get("k") == "v"
        assert client.script_exists(script) == [False]
        server.restart(empty=True)
        assert client.get("k") is None
