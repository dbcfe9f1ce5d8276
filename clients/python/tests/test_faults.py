"""What redis-py does when faults strike: it connects again, sends again, follows a slot that moves."""

import pytest
import redis
from miniserver_testkit import Server
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.retry import Retry


@pytest.fixture
def client(world):
    with redis.from_url(world.url, decode_responses=True, retry=Retry(NoBackoff(), 3)) as client:
        yield client


@pytest.mark.parametrize("how", ["LOST-REPLY", "HALF-REPLY"])
def test_a_lost_reply_counts_twice(world, client, how):
    client.set("orders", 0)
    world.faults.add("lost", "ON", "COMMAND", "incrby", "DO", how, "TIMES", 1)
    assert client.incr("orders") == 2


def test_a_dropped_command_counts_once(world, client):
    world.faults.add("drop", "ON", "COMMAND", "incrby", "DO", "DROP", "TIMES", 2)
    assert client.incr("orders") == 1
    [fault] = world.faults.list()
    assert fault[-2:] == ["hits", 2]


@pytest.mark.parametrize(
    "how, error",
    [
        (["ERROR", "ERR no luck"], redis.ResponseError),
        (["LOADING"], redis.exceptions.BusyLoadingError),
        (["READONLY"], redis.ReadOnlyError),
        (["MASTERDOWN"], redis.exceptions.MasterDownError),
        (["OOM"], redis.exceptions.OutOfMemoryError),
    ],
)
def test_errors(world, how, error):
    with redis.from_url(world.url, retry=Retry(NoBackoff(), 0)) as client:
        world.faults.add("it", "ON", "COMMAND", "set", "DO", *how)
        with pytest.raises(error):
            client.set("k", "v")
        world.faults.clear()
        client.set("k", "v")


def test_a_lost_script_is_loaded_again(world, client):
    script = client.register_script("return redis.call('INCR', KEYS[1])")
    assert script(keys=["k"]) == 1
    world.faults.add("forgotten", "ON", "COMMAND", "evalsha", "DO", "NOSCRIPT", "TIMES", 1)
    assert script(keys=["k"]) == 2


def test_a_delay_passes_the_timeout(world):
    with redis.from_url(world.url, socket_timeout=0.05, retry=Retry(NoBackoff(), 0)) as client:
        world.clock.freeze()
        world.faults.add("slow", "ON", "COMMAND", "get", "DO", "DELAY", 1000, "TIMES", 1)
        with pytest.raises(redis.TimeoutError):
            client.get("k")
        assert client.get("k") is None


def test_a_slot_moves():
    with Server("--cluster-enabled", "yes") as old, Server("--cluster-enabled", "yes") as new:
        here, there = old.world("it"), new.world("it")
        with RedisCluster.from_url(here.url, decode_responses=True) as client:
            client.set("{user:7}:cart", "shoes")
            here.faults.add("moved", "ON", "KEY", "{user:7}*", "DO", "MOVED", f"{new.host}:{new.port}")
            client.set("{user:7}:orders", 1)
            here.faults.clear()
            assert there.command("GET", "{user:7}:orders") == "1"
            assert here.command("EXISTS", "{user:7}:orders") == 0
