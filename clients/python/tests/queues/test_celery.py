"""Celery and the two clocks. docs/start/celery.md shows the first test as it is."""

import gc
from datetime import timedelta

import freezegun
import pytest
import time_machine
from celery import Celery
from celery.contrib.testing.worker import start_worker
from celery.exceptions import TaskRevokedError
from kombu.asynchronous import set_event_loop


def test_a_reminder(world):
    app = Celery("tasks", broker=world.url, backend=world.url)

    @app.task
    def remind(name):
        return f"hello {name}"

    with time_machine.travel(timedelta(0)) as travel:
        result = remind.apply_async(["alice"], countdown=3600)
        travel.shift(timedelta(hours=1))
        world.clock.follow()
        with worker(app):
            assert result.get(timeout=30) == "hello alice"

        travel.shift(timedelta(days=2))  # the server keeps results for a day
        world.clock.follow()
        assert app.AsyncResult(result.id).state == "PENDING"


def worker(app):
    set_event_loop(None)  # with that of a worker before it, tasks with an eta would wait for ever
    return start_worker(app, pool="solo", perform_ping_check=False)


@pytest.fixture
def app(world):
    yield Celery("tasks", broker=world.url, backend=world.url)
    gc.collect()  # results tell the server that they end; if it is gone by then, for 20 seconds each


@pytest.fixture
def remind(app):
    @app.task(name="remind")
    def remind(name):
        return f"hello {name}"

    return remind


def later(remind):
    """Send the two kinds of tasks that wait for an hour."""
    return [
        remind.apply_async(["ann"], countdown=3600),
        remind.apply_async(["ben"], eta=remind.app.now() + timedelta(hours=1)),
    ]


def states(app, results):
    return [app.AsyncResult(result.id).state for result in results]


def test_the_server_alone(world, app, remind):
    """Its clock does nothing for a task that waits, before the worker gets it or after."""
    waiting = later(remind)
    world.clock.advance(hours=1)
    with worker(app):
        assert remind.delay("carl").get(timeout=30) == "hello carl"
        world.clock.advance(hours=1)
        assert remind.delay("dora").get(timeout=30) == "hello dora"
        assert states(app, waiting) == ["PENDING", "PENDING"]


def test_python_alone(app, remind):
    """Its clock does nothing for a result that expires."""
    with freezegun.freeze_time(tick=True) as frozen:
        waiting, late = later(remind), remind.apply_async(["dora"], expires=60)
        frozen.tick(timedelta(hours=1))
        with worker(app):
            assert [result.get(timeout=30) for result in waiting] == ["hello ann", "hello ben"]
            with pytest.raises(TaskRevokedError):
                late.get(timeout=30)
        frozen.tick(timedelta(days=2))
        assert states(app, waiting) == ["SUCCESS", "SUCCESS"]


def test_a_worker_that_has_the_task(world, app, remind):
    """It waits by the machine's monotonic clock, which neither moves."""
    with time_machine.travel(timedelta(0)) as travel, worker(app):
        waiting = later(remind)
        assert remind.delay("carl").get(timeout=30) == "hello carl", "so it has received those before"
        travel.shift(timedelta(hours=1))
        world.clock.follow()
        assert remind.delay("dora").get(timeout=30) == "hello dora"
        assert states(app, waiting) == ["PENDING", "PENDING"]
