"""A cluster in one process, with redis-py: a master fails, slots move, a write is lost."""

import pytest
from miniserver_testkit import Cluster
from redis.cluster import RedisCluster


@pytest.fixture
def cluster():
    with Cluster(shards=3, replicas=1) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    with RedisCluster(host=cluster.host, port=cluster.port, decode_responses=True) as client:
        for n in range(100):
            client.set(f"key:{n}", n)
        yield client


def has_all(client):
    return all(client.get(f"key:{n}") == str(n) for n in range(100))


def test_failover(cluster, client):
    master = cluster.addresses[1]
    cluster.kill(master)
    cluster.clock.advance(seconds=16)  # the timeout is 15 seconds
    cluster.cont(master)
    assert has_all(client)
    assert cluster.addresses[4] in {node.name for node in client.get_primaries()}


def test_resharding(cluster, client):
    cluster.move(cluster.addresses[2], "0-500", 501)
    assert has_all(client)


def test_lost_write(cluster, client):
    master = client.get_node_from_key("key:1").name
    cluster.lose(master)
    client.set("key:1", "new")
    cluster.failover(master)
    assert client.get("key:1") == "1"
