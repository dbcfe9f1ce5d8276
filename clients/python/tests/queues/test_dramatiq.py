"""Dramatiq and the two clocks. docs/start/dramatiq.md shows the first imports and the first test as they are."""

from datetime import timedelta

import dramatiq
import pytest
import time_machine
from dramatiq.brokers.redis import RedisBroker
from dramatiq.results import ResultMissing, Results
from dramatiq.results.backends import RedisBackend

import freezegun


@pytest.fixture
def broker(world):
    broker = RedisBroker(url=world.url)
    broker.add_middleware(Results(backend=RedisBackend(url=world.url), store_results=True))
    dramatiq.set_broker(broker)
    worker = dramatiq.Worker(broker, worker_timeout=50)  # milliseconds, so that it ends soon
    worker.start()
    yield broker
    worker.stop()
    broker.close()


def test_a_reminder(world, broker):
    @dramatiq.actor
    def remind(name):
        return f"hello {name}"

    with time_machine.travel(timedelta(0)) as travel:
        message = remind.send_with_options(args=["alice"], delay=timedelta(hours=1))
        travel.shift(timedelta(hours=1))
        world.clock.follow()
        assert message.get_result(block=True, timeout=30_000) == "hello alice"

        travel.shift(timedelta(days=1))  # the server keeps results for ten minutes
        world.clock.follow()
        with pytest.raises(ResultMissing):
            message.get_result()


def test_each_alone(world, broker):
    """The server's clock does nothing for a message that waits, Python's nothing for a result that expires."""

    @dramatiq.actor
    def remind(name):
        return f"hello {name}"

    with time_machine.travel(timedelta(0)) as travel:
        message = remind.send_with_options(args=["ann"], delay=timedelta(hours=1))
        world.clock.advance(hours=1)
        assert remind.send("ben").get_result(block=True, timeout=30_000) == "hello ben"
        with pytest.raises(ResultMissing):
            message.get_result()
        travel.shift(timedelta(hours=1))
        assert message.get_result(block=True, timeout=30_000) == "hello ann"
        travel.shift(timedelta(days=1))
        assert message.get_result() == "hello ann"


def test_freezegun(broker):
    """It does not reach the threads of the worker."""

    @dramatiq.actor
    def remind(name):
        return f"hello {name}"

    with freezegun.freeze_time(tick=True) as frozen:
        message = remind.send_with_options(args=["ann"], delay=timedelta(hours=1))
        frozen.tick(timedelta(hours=1))
        assert remind.send("ben").get_result(block=True, timeout=30_000) == "hello ben"
        with pytest.raises(ResultMissing):
            message.get_result()
