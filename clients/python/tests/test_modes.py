"""redis-py in cluster mode and in Sentinel mode: a pipeline, a script, a subscription."""

import pytest
import redis
from miniserver_testkit import Server
from redis.cluster import RedisCluster
from redis.sentinel import MasterNotFoundError, Sentinel


@pytest.fixture(scope="module")
def node():
    with Server("--cluster-enabled", "yes") as server:
        yield server


def use(client, subscriber):
    pipe = client.pipeline(transaction=False)
    for n in range(10):
        pipe.set(f"key:{n}", n)
    pipe.get("key:7")
    assert pipe.execute()[10] == "7"

    script = client.register_script("return redis.call('INCRBY', KEYS[1], ARGV[1])")
    assert script(keys=["{alice}:visits"], args=[5]) == 5
    assert script(keys=["{alice}:visits"], args=[5]) == 10

    with subscriber.pubsub(ignore_subscribe_messages=True) as messages:
        messages.subscribe("news")
        messages.get_message(timeout=5)
        client.publish("news", "hello")
        assert messages.get_message(timeout=5)["data"] == "hello"


def test_cluster(node):
    with node.world() as world, RedisCluster.from_url(world.url, decode_responses=True) as client:
        use(client, client)
        assert len(client.get_nodes()) == 1
        assert world.command("GET", "key:7") == "7"
        with pytest.raises(redis.exceptions.ClusterCrossSlotError):
            client.execute_command("MSET", "a", 1, "b", 2, target_nodes=client.get_random_node())


def test_sentinel(world):
    login = {"username": world.username, "password": world.password}
    sentinel = Sentinel([(world.host, world.port)], sentinel_kwargs=login, decode_responses=True, **login)
    assert sentinel.discover_master("mymaster") == (world.host, world.port)
    assert sentinel.discover_slaves("mymaster") == []
    with sentinel.master_for("mymaster") as client:
        use(client, client)
        assert world.command("GET", "key:7") == "7"
    with pytest.raises(MasterNotFoundError):
        sentinel.discover_master("other")
