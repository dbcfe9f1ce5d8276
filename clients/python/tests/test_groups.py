"""redis-py loses nothing that was confirmed while leaders of a group are killed. KILLS=20 in the environment kills more of them."""

import os
import shutil
import subprocess
import threading
import time
from pathlib import Path

import pytest
import redis
from redis.cluster import ClusterNode, RedisCluster
from redis.sentinel import Sentinel

GROUP = Path(__file__).parents[2] / "testdata" / "group"
KILLS = int(os.environ.get("KILLS", "2"))


class Members:
    """The processes of a group."""

    def __init__(self, *options):
        self.process = subprocess.Popen([GROUP, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addresses = [("127.0.0.1", int(port)) for port in self.process.stdout.readline().split()]

    def kill_leader(self):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        assert self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()


def connect(mode, members):
    if mode == "sentinel":
        return Sentinel(members.addresses, socket_timeout=1, decode_responses=True).master_for("mymaster", socket_timeout=1)
    return RedisCluster(startup_nodes=[ClusterNode(*address) for address in members.addresses], socket_timeout=1, decode_responses=True)


class Writer(threading.Thread):
    """Writes numbers until the end, and notes which are confirmed."""

    def __init__(self, client):
        super().__init__()
        self.client, self.confirmed, self.over = client, [], False

    def run(self):
        n = 0
        while not self.over:
            n += 1
            try:
                if self.client.set(f"key:{n}", n):
                    self.confirmed.append(n)
            except (redis.exceptions.RedisError, OSError):
                time.sleep(0.05)  # of a leader that is gone

    def progress(self):
        enough, end = len(self.confirmed) + 50, time.monotonic() + 60
        while len(self.confirmed) < enough:
            assert time.monotonic() < end, "no write is confirmed"
            time.sleep(0.01)


@pytest.mark.skipif(not shutil.which("redis-cli") or "MINISERVER_BINARY" not in os.environ, reason="redis-cli or MINISERVER_BINARY is missing")
@pytest.mark.parametrize("mode", ["sentinel", "cluster"])
def test_leaders_that_are_killed(mode):
    with Members("--cluster-enabled", "yes" if mode == "cluster" else "no") as members:
        writer = Writer(connect(mode, members))
        writer.start()
        try:
            for _ in range(KILLS):
                writer.progress()
                members.kill_leader()
            writer.progress()
        finally:
            writer.over = True
            writer.join()
        client = connect(mode, members)
        for n in writer.confirmed:
            assert client.get(f"key:{n}") == str(n)
        print(f"{KILLS} kills, {len(writer.confirmed)} confirmed writes")
