"""redis-py finds the next master when real Sentinels have replaced one that was killed."""

import os
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
import redis
from miniserver_testkit import Server
from redis.sentinel import Sentinel

SENTINELS = Path(__file__).parents[2] / "testdata" / "sentinels"


def until_it_works(action):
    """The result of an action, repeated while the master is gone."""
    end = time.monotonic() + 60
    while True:
        try:
            return action()
        except redis.exceptions.RedisError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)


@pytest.mark.skipif(not shutil.which("redis-sentinel"), reason="redis-sentinel is not installed")
def test_failover():
    with Server() as master, Server("--replicaof", f"127.0.0.1 {master.port}") as replica:
        with subprocess.Popen([SENTINELS, str(master.port)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
            ports = [int(port) for port in process.stdout.readline().split()]
            sentinel = Sentinel([("127.0.0.1", port) for port in ports], decode_responses=True)
            client = sentinel.master_for("mymaster")
            assert client.set("before", "1")
            assert client.execute_command("WAIT", 1, 10_000) == 1
            os.kill(client.info()["process_id"], signal.SIGKILL)
            assert until_it_works(lambda: client.set("after", "2"))
            assert client.mget("before", "after") == ["1", "2"]
            assert sentinel.discover_master("mymaster") == ("127.0.0.1", replica.port)
            assert replica.command("GET", "after") == "2"
            process.stdin.close()
