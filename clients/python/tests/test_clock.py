"""Clock.follow: the clock of a world shows Python's time, which freezegun and time-machine stop and move."""

import time
from datetime import datetime, timedelta, timezone

import freezegun
import pytest
import redis
import time_machine

THEN = datetime(2030, 1, 1, tzinfo=timezone.utc)


def scale(world):
    return float(world.command("MINI.CLOCK", "STATUS")[3])


@pytest.mark.parametrize("travel", [freezegun.freeze_time, time_machine.travel])
@pytest.mark.parametrize("runs", [False, True])
def test_both_clocks(world, travel, runs):
    client = redis.from_url(world.url)
    with travel(THEN, tick=runs) as python:
        shift = getattr(python, "shift", None) or python.tick
        assert timedelta(0) <= world.clock.follow() - THEN < timedelta(minutes=1)
        assert scale(world) == runs
        client.set("session", "alice", ex=3600)
        shift(timedelta(hours=1))
        assert client.get("session") == b"alice"
        assert timedelta(hours=1) <= world.clock.follow() - THEN < timedelta(hours=1, minutes=1)
        if runs:
            shift(timedelta(minutes=1))  # more than the reading of the time and its setting may be apart
            world.clock.follow()
        assert client.get("session") is None
        if not runs:
            assert world.clock.now() == THEN + timedelta(hours=1)
    assert abs(world.clock.follow().timestamp() - time.time()) < 60 and scale(world) == 1


def test_time_goes_back(world):
    with time_machine.travel(THEN, tick=False) as travel:
        world.clock.follow()
        travel.move_to(THEN - timedelta(days=1))
        assert world.clock.follow() == world.clock.now() == THEN - timedelta(days=1)


async def test_in_asyncio(async_world):
    with freezegun.freeze_time(THEN, real_asyncio=True) as frozen:
        assert await async_world.clock.follow() == THEN
        frozen.tick(0.25)
        assert await async_world.clock.follow() == await async_world.clock.now() == THEN + timedelta(seconds=0.25)
