"""arq and the two clocks. docs/start/arq.md shows the first imports and the first test as they are."""

from datetime import timedelta

import time_machine
from arq import Worker, create_pool
from arq.connections import RedisSettings
from arq.jobs import JobStatus

import freezegun


async def remind(context, name):
    return f"hello {name}"


async def test_a_reminder(async_world):
    pool = await create_pool(RedisSettings.from_dsn(async_world.url))
    with time_machine.travel(timedelta(0)) as travel:
        job = await pool.enqueue_job("remind", "alice", _defer_by=timedelta(hours=1))
        travel.shift(timedelta(hours=1))
        await async_world.clock.follow()
        await worker(pool).main()
        assert await job.result() == "hello alice"

        travel.shift(timedelta(days=1))  # the server keeps results for an hour
        await async_world.clock.follow()
        assert await job.status() == JobStatus.not_found
    await pool.aclose()


def worker(pool):
    """A worker that ends when no job is left."""
    return Worker([remind], redis_pool=pool, burst=True, poll_delay=0.01, handle_signals=False)


async def test_python_alone(async_world):
    """Its clock does nothing for a result that expires."""
    pool = await create_pool(RedisSettings.from_dsn(async_world.url))
    with freezegun.freeze_time(tick=True, real_asyncio=True) as frozen:
        job = await pool.enqueue_job("remind", "ann", _defer_by=3600)
        assert await job.status() == JobStatus.deferred
        frozen.tick(timedelta(hours=1))
        await worker(pool).main()
        frozen.tick(timedelta(days=1))
        assert await job.result() == "hello ann"
    await pool.aclose()


async def test_the_server_alone(async_world):
    """Its clock does nothing for a job that waits, but for its data, which expire a day after it should have run."""
    pool = await create_pool(RedisSettings.from_dsn(async_world.url))
    job = await pool.enqueue_job("remind", "ann", _defer_by=3600)
    await async_world.clock.advance(hours=24)
    assert await job.status() == JobStatus.deferred and await job.info()
    await async_world.clock.advance(hours=2)
    assert await job.status() == JobStatus.deferred and not await job.info()
    await pool.aclose()
