"""A queue of jobs for threads and for asyncio, with delays, retries and news, and its tests."""

import asyncio
import json
import threading
import time
import uuid

import pytest
import redis.asyncio
import fakeredis
from freezegun import freeze_time
from fakeredis import aioredis

MOVE_DUE = """
local due = redis.call('ZRANGE', KEYS[1], '-inf', ARGV[1], 'BYSCORE')
for _, job in ipairs(due) do
    redis.call('ZREM', KEYS[1], job)
    redis.call('LPUSH', KEYS[2], job)
end
return #due
"""


class Queue:
    """Jobs in a list; those that are for later, in a sorted set; those that are worked on, in a list of the worker."""

    def __init__(self, client, name="default", tries=3):
        self.client, self.name, self.tries = client, name, tries
        self.move_due = client.register_script(MOVE_DUE)

    def put(self, task, delay=0):
        job = {"id": uuid.uuid4().hex, "task": task, "failed": 0}
        if delay:
            self.client.zadd(f"{self.name}:later", {json.dumps(job): time.time() + delay})
        else:
            self.client.lpush(self.name, json.dumps(job))
        return job["id"]

    def work(self, worker, act, timeout=1):
        """Work on one job; return whether there was one."""
        self.move_due(keys=[f"{self.name}:later", self.name], args=[time.time()])
        text = self.client.blmove(self.name, f"{self.name}:{worker}", timeout, "RIGHT", "LEFT")
        if text is None:
            return False
        job = json.loads(text)
        try:
            act(job["task"])
            self.client.publish(f"{self.name}:done", job["id"])
        except Exception:
            job["failed"] += 1
            self.client.lpush(self.name if job["failed"] < self.tries else f"{self.name}:dead", json.dumps(job))
        finally:
            self.client.lrem(f"{self.name}:{worker}", 1, text)
        return True


@pytest.fixture
def server():
    return fakeredis.FakeServer()


@pytest.fixture
def queue(server):
    return Queue(fakeredis.FakeRedis(server=server, decode_responses=True))


def test_jobs_come_in_order(queue):
    done = []
    for n in range(3):
        queue.put(n)
    while queue.work("w", done.append, timeout=0.01):
        pass
    assert done == [0, 1, 2] and queue.client.keys("default*") == []


def test_a_job_that_fails(queue):
    calls = []

    def fail(task):
        calls.append(task)
        raise RuntimeError

    queue.put("mail")
    while queue.work("w", fail, timeout=0.01):
        pass
    assert calls == ["mail"] * 3
    assert json.loads(queue.client.lindex("default:dead", 0))["failed"] == 3


def test_a_job_for_later(queue):
    done = []
    with freeze_time("2024-05-01 12:00") as clock:
        queue.put("later", delay=60)
        queue.put("now")
        assert queue.work("w", done.append) and not queue.work("w", done.append, timeout=0.01)
        clock.tick(61)
        assert queue.work("w", done.append)
    assert done == ["now", "later"]


def test_workers_in_threads(server):
    done, lock = [], threading.Lock()

    def run(name):
        queue = Queue(fakeredis.FakeRedis(server=server, decode_responses=True))
        while queue.work(name, lambda task: done.append(task), timeout=0.2):
            pass

    workers = [threading.Thread(target=run, args=(f"w{n}",)) for n in range(4)]
    queue = Queue(fakeredis.FakeRedis(server=server, decode_responses=True))
    for n in range(100):
        queue.put(n)
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert sorted(done) == list(range(100))


def test_news(queue):
    news = queue.client.pubsub(ignore_subscribe_messages=True)
    news.subscribe("default:done")
    number = queue.put("mail")
    queue.work("w", lambda task: None)
    messages = [message for message in (news.get_message(), news.get_message()) if message]
    assert [message["data"] for message in messages] == [number]
    news.close()


def test_a_worker_that_was_lost(server, queue):
    queue.put("mail")
    queue.client.lmove("default", "default:lost", "RIGHT", "LEFT")
    assert not queue.work("w", print, timeout=0.01)
    queue.client.lmove("default:lost", "default", "RIGHT", "LEFT")
    assert queue.work("w", lambda task: None)


# The same jobs by a stream, for asyncio


async def consume(client, name, done):
    while True:
        reply = await client.xreadgroup("workers", name, {"jobs": ">"}, count=2, block=100)
        streams = reply.items() if isinstance(reply, dict) else reply
        entries = [entry for _, found in streams for entry in found]
        if not entries:
            return
        for batch in entries:
            for number, fields in batch if isinstance(batch, list) else [batch]:
                done.append(fields["task"])
                await client.xack("jobs", "workers", number)


async def test_a_stream():
    client, done = fakeredis.FakeAsyncRedis(decode_responses=True), []
    await client.xgroup_create("jobs", "workers", mkstream=True)
    for n in range(20):
        await client.xadd("jobs", {"task": n})
    await asyncio.gather(*(consume(client, f"w{n}", done) for n in range(2)))
    assert sorted(map(int, done)) == list(range(20))
    assert (await client.xpending("jobs", "workers"))["pending"] == 0
    await client.aclose()


async def test_a_consumer_that_waits():
    server = fakeredis.FakeServer()
    async with aioredis.FakeRedis(server=server) as worker, fakeredis.FakeAsyncRedis(server=server) as client:
        waiting = asyncio.create_task(worker.blpop("jobs", 60))
        await asyncio.sleep(0.01)
        await client.rpush("jobs", "mail")
        assert tuple(await waiting) == (b"jobs", b"mail")
        assert isinstance(client, redis.asyncio.Redis)
