"""Programs of frameworks that search. Each prints here what it prints on Redis Stack, where its output was recorded, but for the last digits of distances.

With the URL of a Redis Stack in STACK_URL they run there, too, after it was emptied; RECORD=1 writes anew what they print there."""

import os
import pathlib
import re
import subprocess
import sys

import pytest
import redis
from miniserver_testkit import Server

PROGRAMS = sorted(pathlib.Path(__file__).parent.glob("program_*.py"))


def run(program, url):
    """Return what a program prints, with four digits behind each point: the last ones depend on the order in which numbers are added."""
    done = subprocess.run([sys.executable, "-W", "ignore", program, url], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return re.sub(r"\d+\.\d{5,}(e-\d+)?", lambda number: f"{float(number[0]):.4f}", done.stdout)


@pytest.fixture(scope="module")
def like():
    with Server("--like", "redis-stack:7.4") as server:
        yield server


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_miniserver(like, program):
    with like.world(program.stem) as world:
        assert run(program, world.url) == program.with_suffix(".txt").read_text()


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.stem)
def test_redis_stack(program):
    url = os.environ.get("STACK_URL")
    if not url:
        pytest.skip("STACK_URL names no Redis Stack")
    redis.from_url(url).flushall()
    printed = run(program, url)
    if os.environ.get("RECORD"):
        program.with_suffix(".txt").write_text(printed)
    assert printed == program.with_suffix(".txt").read_text()
