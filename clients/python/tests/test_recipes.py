"""The recipes of docs/recipes/python.md, which shows these functions as they are."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import redis
from miniserver_testkit import Server
from redis.backoff import NoBackoff
from redis.cluster import RedisCluster
from redis.retry import Retry

TESTDATA = Path(__file__).parents[2] / "testdata"
DUMP, GOLDEN = TESTDATA / "production.rdb", TESTDATA / "checkout.txt"


def test_a_session_expires(world):
    client = redis.from_url(world.url)
    client.set("session", "alice", ex=3600)
    world.clock.advance(hours=1)
    assert client.get("session") is None


def test_a_day_of_a_limiter(world):
    client = redis.from_url(world.url)
    world.clock.freeze()
    passed = 0
    for _ in range(24 * 60):
        passed += sum(may_pass(client, "alice") for _ in range(3))
        world.clock.advance(minutes=1)
    assert passed == 24 * 100


def may_pass(client, user):
    """A user may pass 100 times an hour."""
    count = client.incr(f"visits:{user}")
    if count == 1:
        client.expire(f"visits:{user}", 3600)
    return count <= 100


def test_a_lost_reply(world):
    client = redis.from_url(world.url, retry=Retry(NoBackoff(), 3))
    world.faults.add("incr", "ON", "COMMAND", "incrby", "DO", "LOST-REPLY", "TIMES", 1)
    assert client.incr("orders") == 2

    world.faults.add("sadd", "ON", "COMMAND", "sadd", "DO", "LOST-REPLY", "TIMES", 1)
    client.sadd("order-ids", 17)
    assert client.scard("order-ids") == 1


def test_a_server_that_is_gone(world):
    client = redis.from_url(world.url, decode_responses=True, retry=Retry(NoBackoff(), 1))
    client.set("price:shoes", "80")
    world.outage.begin("CUT")
    assert price(client, "shoes") == "unknown"
    world.outage.end()
    assert price(client, "shoes") == "80"


def price(client, goods):
    """What goods cost if the cache can be reached."""
    try:
        return client.get(f"price:{goods}")
    except redis.ConnectionError:
        return "unknown"


def test_side_by_side(miniserver):
    def lives(day):
        with miniserver.world() as world:
            client = redis.from_url(world.url)
            client.set("session", "alice", ex=timedelta(days=10))
            world.clock.advance(days=day)
            return client.exists("session") == 1

    with ThreadPoolExecutor() as threads:
        assert list(threads.map(lives, range(20))) == [day < 10 for day in range(20)]


def test_a_failover():
    with Server("--cluster-enabled", "yes") as old, Server("--cluster-enabled", "yes") as fresh:
        client = RedisCluster(host=old.host, port=old.port)
        client.set("cart:7", "shoes")

        old.world("default").faults.add("failover", "ON", "KEY", "*", "DO", "MOVED", f"{fresh.host}:{fresh.port}")
        client.set("cart:7", "hats")
        assert fresh.command("GET", "cart:7") == "hats"


def test_checkout(world):
    world.clock.freeze()
    check_out(redis.from_url(world.url), "alice", "shoes")
    assert world.dump() == GOLDEN.read_text()


def check_out(client, user, goods):
    client.rpush(f"orders:{user}", goods)
    client.incr("sales")
    client.set(f"session:{user}", "paid", ex=600)


def test_production_data():
    with Server("--load", DUMP) as production, production.world("default").fork() as world:
        client = redis.from_url(world.url)
        assert client.hincrby("stock", "shoes", -1) == 11
        assert production.command("HGET", "stock", "shoes") == "12"
