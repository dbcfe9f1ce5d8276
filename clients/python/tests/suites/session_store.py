"""A store of sessions, as a web application has one, and its tests."""

import json
import secrets

import fakeredis
import pytest
import redis
from freezegun import freeze_time


class SessionStore:
    """Sessions as hashes, which end when they have not been used for some seconds. A user may have a few of them."""

    def __init__(self, client, lifetime=1800, most=3):
        self.client, self.lifetime, self.most = client, lifetime, most

    def open(self, user, **data):
        token = secrets.token_urlsafe(16)
        with self.client.pipeline() as pipe:
            pipe.hset(f"session:{token}", mapping={"user": user, "data": json.dumps(data)})
            pipe.expire(f"session:{token}", self.lifetime)
            pipe.lpush(f"sessions:{user}", token)
            pipe.lrange(f"sessions:{user}", self.most, -1)
            pipe.ltrim(f"sessions:{user}", 0, self.most - 1)
            *_, too_many, _ = pipe.execute()
        if too_many:
            self.client.delete(*(f"session:{old}" for old in too_many))
        return token

    def read(self, token):
        session = self.client.hgetall(f"session:{token}")
        if not session:
            return None
        self.client.expire(f"session:{token}", self.lifetime)
        return {"user": session["user"], **json.loads(session["data"])}

    def change(self, token, **data):
        """Merge data into a session, unless another process changes it meanwhile."""

        def merge(pipe):
            old = json.loads(pipe.hget(f"session:{token}", "data"))
            pipe.multi()
            pipe.hset(f"session:{token}", "data", json.dumps(old | data))

        self.client.transaction(merge, f"session:{token}")

    def close_all(self, user):
        tokens = self.client.lrange(f"sessions:{user}", 0, -1)
        return self.client.delete(f"sessions:{user}", *(f"session:{token}" for token in tokens))


@pytest.fixture
def server():
    return fakeredis.FakeServer()


@pytest.fixture
def store(server):
    return SessionStore(fakeredis.FakeStrictRedis(server=server, decode_responses=True))


def test_a_session(store):
    token = store.open("alice", cart=["shoes"])
    assert store.read(token) == {"user": "alice", "cart": ["shoes"]}
    store.change(token, cart=[], paid=True)
    assert store.read(token) == {"user": "alice", "cart": [], "paid": True}
    assert store.read("no such token") is None


def test_sessions_end_when_they_are_not_used(store):
    with freeze_time("2024-05-01 12:00") as clock:
        token, idle = store.open("alice"), store.open("alice")
        for _ in range(5):
            clock.tick(1000)
            assert store.read(token)
        assert store.read(idle) is None
        assert store.client.ttl(f"session:{token}") == 1800
        clock.tick(1801)
        assert store.read(token) is None


def test_a_user_has_a_few(store):
    tokens = [store.open("alice") for _ in range(5)]
    assert [store.read(token) is not None for token in tokens] == [False, False, True, True, True]
    assert store.close_all("alice") == 4
    assert store.read(tokens[-1]) is None


def test_two_processes(server, store):
    """Both have a client of their own."""
    other = SessionStore(fakeredis.FakeStrictRedis(server=server, decode_responses=True))
    token = store.open("alice")
    other.change(token, theme="dark")
    assert store.read(token)["theme"] == "dark"


def test_a_change_at_the_same_time(server, store):
    other = fakeredis.FakeStrictRedis(server=server, decode_responses=True)
    token = store.open("alice", n=1)
    with store.client.pipeline() as pipe:
        pipe.watch(f"session:{token}")
        other.hset(f"session:{token}", "data", '{"n": 2}')
        pipe.multi()
        pipe.hset(f"session:{token}", "data", '{"n": 3}')
        with pytest.raises(redis.WatchError):
            pipe.execute()
    assert store.read(token)["n"] == 2


def test_the_database_is_away(server, store):
    token = store.open("alice")
    server.connected = False
    with pytest.raises(redis.ConnectionError):
        store.read(token)
    server.connected = True
    assert store.read(token)["user"] == "alice"


def test_a_url():
    store = SessionStore(fakeredis.FakeRedis.from_url("redis://sessions.example:6379/2", decode_responses=True))
    token = store.open("alice")
    again = SessionStore(fakeredis.FakeRedis.from_url("redis://sessions.example:6379/2", decode_responses=True))
    assert again.read(token)["user"] == "alice"


@pytest.mark.parametrize("turn", [1, 2])
def test_tests_do_not_meet(store, turn):
    assert store.client.dbsize() == 0
    store.open("alice")
