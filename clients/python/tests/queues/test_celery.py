"""Celery and the two clocks. docs/start/celery.md shows the first imports and two tests as they are."""

from datetime import datetime, timedelta, timezone

import redis
import time_machine
from celery import Celery
from celery.beat import Scheduler
from celery.contrib.testing.worker import start_worker
from celery.schedules import crontab
from kombu.asynchronous import set_event_loop

import gc
import subprocess
import sys
import textwrap

import freezegun
import pytest
from celery.exceptions import TaskRevokedError


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


def test_a_report_every_night(world):
    app = Celery("tasks", broker=world.url)
    app.conf.beat_schedule = {"nightly": {"task": "report", "schedule": crontab(hour=3, minute=0)}}

    @app.task(name="report")
    def report():
        redis.from_url(world.url).set("report", app.now().isoformat())

    with time_machine.travel(datetime(2030, 1, 31, tzinfo=timezone.utc), tick=False) as travel:
        beat = Scheduler(app)
        beat.tick()  # reads the schedule
        travel.shift(timedelta(hours=3))
        beat.tick()  # sends a task that is due
        with worker(app):
            world.wait_for_key("report", "2030-01-31T03:00:00+00:00", timeout=30)


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


@pytest.mark.parametrize("of", ["Python", "the server"])
def test_a_task_that_a_lost_worker_had(world, app, remind, of):
    """Python's clock says when a worker that starts may have it, and the server's does not."""
    with time_machine.travel(timedelta(0)) as travel:
        result = remind.delay("ann")
        lose_a_worker(world)
        if of == "Python":
            travel.shift(timedelta(hours=2))  # visibility_timeout is one
        else:
            world.clock.advance(hours=2)
        with worker(app):
            assert remind.delay("ben").get(timeout=30) == "hello ben"
            if of == "Python":
                assert result.get(timeout=30) == "hello ann"
            else:
                assert result.state == "PENDING"


def lose_a_worker(world):
    """Start a worker that ends in the midst of its first task."""
    program = """
        import os, sys
        from celery import Celery

        app = Celery("tasks", broker=sys.argv[1], task_acks_late=True)


        @app.task(name="remind")
        def remind(name):
            os._exit(9)


        app.worker_main(["worker", "--pool", "solo"])
    """
    command = [sys.executable, "-W", "ignore", "-c", textwrap.dedent(program), world.url]
    lost = subprocess.run(command, stdout=subprocess.DEVNULL, timeout=120)
    assert lost.returncode == 9


def test_beat_by_the_server(world, app):
    """The server's clock does nothing for beat."""
    app.conf.beat_schedule = {"hourly": {"task": "report", "schedule": timedelta(hours=1)}}
    beat = Scheduler(app)
    beat.tick()
    world.clock.advance(hours=1)
    beat.tick()
    assert world.command("LLEN", "celery") == 0
