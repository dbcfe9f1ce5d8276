"""A limiter with a script in Lua, and its tests."""

import threading
import time
from unittest import mock

import pytest
import redis
import time_machine
from fakeredis import FakeRedis, FakeServer

WINDOW = """
local now, window, limit, id = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), ARGV[4]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
local count = redis.call('ZCARD', KEYS[1])
if count >= limit then
    local oldest = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
    return {0, 0, tostring(tonumber(oldest[2]) + window - now)}
end
redis.call('ZADD', KEYS[1], now, id)
redis.call('EXPIRE', KEYS[1], math.ceil(window))
return {1, limit - count - 1, '0'}
"""


class Limiter:
    """So many calls in a window of seconds."""

    def __init__(self, client, limit, window, open_on_error=False):
        self.client, self.limit, self.window, self.open_on_error = client, limit, window, open_on_error
        self.script, self.number = client.register_script(WINDOW), 0

    def hit(self, name):
        """Return whether a call may pass, how many are left, and how long to wait."""
        self.number += 1
        try:
            passes, left, wait = self.script(keys=[f"limit:{name}"], args=[time.time(), self.window, self.limit, self.number])
        except redis.ConnectionError:
            if not self.open_on_error:
                raise
            return True, self.limit, 0.0
        return bool(passes), left, float(wait)


@pytest.fixture
def client():
    return FakeRedis()


def test_a_window(client):
    limiter = Limiter(client, 3, 60)
    with time_machine.travel("2024-05-01 12:00", tick=False) as clock:
        assert [limiter.hit("alice")[:2] for _ in range(4)] == [(True, 2), (True, 1), (True, 0), (False, 0)]
        assert limiter.hit("bob")[0]
        clock.shift(59)
        assert limiter.hit("alice") == (False, 0, 1.0)
        clock.shift(2)
        assert limiter.hit("alice")[0]


def test_a_day(client):
    limiter, passed = Limiter(client, 10, 3600), 0
    with time_machine.travel("2024-05-01", tick=False) as clock:
        for _ in range(24 * 4):
            passed += sum(limiter.hit("alice")[0] for _ in range(4))
            clock.shift(901)
    assert 24 * 10 - 10 <= passed <= 24 * 10


def test_what_is_left_behind_expires(client):
    with time_machine.travel("2024-05-01", tick=False) as clock:
        Limiter(client, 3, 60).hit("alice")
        assert client.keys() == [b"limit:alice"] and client.ttl("limit:alice") == 60
        clock.shift(61)
        assert client.keys() == []


def test_the_script_is_loaded_again(client):
    limiter = Limiter(client, 3, 60)
    limiter.hit("alice")
    client.script_flush()
    assert limiter.hit("alice")[:2] == (True, 1)


def test_many_threads():
    server, passed = FakeServer(), []

    def call(number):
        limiter = Limiter(FakeRedis(server=server), 50, 60)
        limiter.number = number * 1000
        passed.extend(limiter.hit("alice")[0] for _ in range(20))

    threads = [threading.Thread(target=call, args=(number,)) for number in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert passed.count(True) == 50


@pytest.mark.parametrize("open_on_error", [True, False])
def test_no_connection(open_on_error):
    server = FakeServer()
    limiter = Limiter(FakeRedis(server=server), 3, 60, open_on_error)
    limiter.hit("alice")
    server.connected = False
    if open_on_error:
        assert limiter.hit("alice") == (True, 3, 0.0)
    else:
        with pytest.raises(redis.ConnectionError):
            limiter.hit("alice")


def test_the_client_can_be_mocked(client):
    limiter = Limiter(client, 3, 60)
    with mock.patch.object(client, "evalsha", wraps=client.evalsha) as evalsha:
        limiter.hit("alice")
    assert evalsha.call_args.args[1:3] == (1, "limit:alice")


def test_an_error_of_the_script(client):
    client.set("limit:alice", "a string")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        Limiter(client, 3, 60).hit("alice")
