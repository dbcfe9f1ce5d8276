"""The code of docs/start/fakeredis.md, which shows it as it is, and its table."""

import freezegun
import pytest
import redis
import surface
from miniserver_testkit import fakeredis


class Orders:
    """What the page tests."""

    def __init__(self, client):
        self.client = client

    def place(self, user, goods):
        self.client.rpush(f"orders:{user}", goods)
        return self.client.incr("orders")


@pytest.fixture
def server():
    return fakeredis.FakeServer()


@pytest.fixture
def orders(server):
    return Orders(fakeredis.FakeRedis(server=server))


def test_orders(orders):
    assert orders.place("alice", "shoes") == 1


def test_no_connection(server, orders):
    server.connected = False
    with pytest.raises(redis.ConnectionError):
        orders.place("alice", "shoes")


def test_a_lost_reply(server, orders):
    server.world.faults.add("lost", "ON", "COMMAND", "incrby", "DO", "LOST-REPLY", "TIMES", 1)
    with pytest.raises(redis.ConnectionError):
        orders.place("alice", "shoes")
    assert orders.client.get("orders") == b"1", "it was counted all the same"


def test_a_session_expires(server):
    client = fakeredis.FakeRedis(server=server)
    client.set("session", "alice", ex=3600)
    server.world.clock.advance(hours=1)
    assert client.get("session") is None


def test_a_session_expires_by_freezegun():
    client = fakeredis.FakeRedis()
    with freezegun.freeze_time("2030-01-01") as frozen:
        client.set("session", "alice", ex=3600)
        frozen.tick(3600)
        assert client.get("session") is None


pinned = pytest.mark.skipif(redis.__version__ != "6.4.0", reason="the table is made with one version of redis-py")


@pinned
def test_the_table_is_new():
    assert surface.PAGE.read_text() == surface.write(surface.PAGE.read_text()), "python clients/python/tests/surface.py writes it"


@pinned
def test_all_names_are_there_or_have_a_reason():
    assert [name for name, here, why in surface.rows() if here != "yes" and not why] == []


@pinned
def test_reasons_are_needed():
    here = {name: here for name, here, _ in surface.rows()}
    assert [name for name in surface.MISSING if here.get(name) != "no"] == []
    assert [name for name in surface.DIFFERS if here.get(name) != "differs"] == []


@pinned
def test_what_is_only_here():
    own = [name for name in surface.own() if name.startswith("FakeServer")]
    assert own == [f"FakeServer{name}" for name in ("(follow_clock=)", ".close", ".follow", ".url", ".world")]
    assert "Only here are `server.close()`, `follow()`, `follow_clock`, `url` and `world`." in surface.PAGE.read_text()
