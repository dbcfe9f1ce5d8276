"""RQ and the two clocks. docs/start/rq.md shows the first imports and the first test as they are."""

from datetime import timedelta

import redis
import time_machine
from rq import Queue, SimpleWorker
from rq.job import Job

from datetime import datetime, timezone

import freezegun


def remind(name):
    return f"hello {name}"


def test_a_reminder(world):
    queue = Queue(connection=redis.from_url(world.url))
    with time_machine.travel(timedelta(0)) as travel:
        job = queue.enqueue_in(timedelta(hours=1), remind, "alice", result_ttl=600)
        work(queue)
        assert job.get_status() == "scheduled"
        travel.shift(timedelta(hours=1))
        world.clock.follow()
        work(queue)
        assert job.return_value() == "hello alice"

        travel.shift(timedelta(days=1))  # the server keeps it for ten minutes
        world.clock.follow()
        assert not Job.exists(job.id, queue.connection)


def work(queue):
    """Enqueue the jobs that are due, and run them."""
    SimpleWorker([queue], connection=queue.connection).work(burst=True, with_scheduler=True)


def test_the_server_alone(world):
    """Its clock does nothing for a job that waits."""
    queue = Queue(connection=redis.from_url(world.url))
    jobs = queue.enqueue_in(timedelta(hours=1), remind, "ann"), queue.enqueue_at(datetime.now(timezone.utc) + timedelta(hours=1), remind, "ben")
    world.clock.advance(hours=1)
    work(queue)
    assert [job.get_status() for job in jobs] == ["scheduled", "scheduled"]


def test_python_alone(world):
    """Its clock does nothing for a result that expires."""
    queue = Queue(connection=redis.from_url(world.url))
    with freezegun.freeze_time(tick=True) as frozen:
        job = queue.enqueue_at(datetime.now(timezone.utc) + timedelta(hours=1), remind, "ann", result_ttl=600)
        work(queue)
        assert job.get_status() == "scheduled"
        frozen.tick(timedelta(hours=1, seconds=2))  # RQ counts whole seconds
        work(queue)
        assert job.return_value() == "hello ann"
        frozen.tick(timedelta(days=1))
        assert Job.exists(job.id, queue.connection)
