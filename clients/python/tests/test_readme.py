"""The code of README.md, which shows it as it is."""

import asyncio
import os
import re
import shutil

import pytest
import redis.asyncio

import redis


def test_session_expires(world):
    client = redis.from_url(world.url)  # any client library
    client.set("session", "alice", ex=3600)
    world.clock.advance(hours=1)  # returns at once
    assert client.get("session") is None


async def test_a_worker_times_out(async_world):
    async with redis.asyncio.from_url(async_world.url) as client:
        worker = asyncio.create_task(client.blpop("jobs", 3600))
        await async_world.wait_for_blocked(1)
        await async_world.clock.advance(hours=1)
        assert await worker is None


@pytest.mark.skipif("MINISERVER_BINARY" not in os.environ, reason="MINISERVER_BINARY is missing")
def test_without_pytest(monkeypatch, tmp_path, capsys):
    shutil.copy(os.environ["MINISERVER_BINARY"], tmp_path / "miniserver")
    monkeypatch.chdir(tmp_path)

    from miniserver_testkit import Server

    with Server("--maxmemory", "10mb", binary="./miniserver") as server:
        with server.world("orders") as world:
            print(world.url)  # redis://world:orders@127.0.0.1:43125

    assert re.fullmatch(r"redis://world:orders@127\.0\.0\.1:\d+\n", capsys.readouterr().out)
