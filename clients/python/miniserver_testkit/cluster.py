"""A whole Redis Cluster in one process."""

import os

from .server import Server
from .world import Clock


class Cluster(Server):
    """A running cluster of masters, each with replicas, as a program that this object starts and close ends.

    with Cluster(shards=3, replicas=1) as cluster:
        client = redis.cluster.RedisCluster(host=cluster.host, port=cluster.port)
        cluster.kill(cluster.addresses[0])
        cluster.clock.advance(seconds=16)  # the failover timeout takes no time

    addresses are those of the nodes, as "host:port": first those that begin as masters, then their replicas in the same order. A node is
    named by its address. clock is that of all nodes. What a method does happens between two commands, and is over when it returns.
    """

    clock: Clock

    def __init__(self, *options: str | os.PathLike[str], shards: int = 3, replicas: int = 1, binary: str | os.PathLike[str] | None = None) -> None:
        super().__init__("--cluster-shards", str(shards), "--cluster-replicas", str(replicas), *options, binary=binary)
        host = self._program.ready["addresses"][0].rpartition(":")[0]
        self.addresses: list[str] = [a for a in self._program.ready["addresses"] if a.rpartition(":")[0] == host]
        self.clock = self.world("default").clock
        self.clock.now()  # over a connection that stays when the first node is killed

    def kill(self, node: str) -> None:
        """End a node as the end of its process would: nobody listens, its data are gone."""
        self.command("MINI.CLUSTER", "KILL", node)

    def stop(self, node: str) -> None:
        """Stop a node, which answers nobody until cont."""
        self.command("MINI.CLUSTER", "STOP", node)

    def cont(self, node: str) -> None:
        """Let a node that was stopped or killed go on."""
        self.command("MINI.CLUSTER", "CONT", node)

    def failover(self, node: str) -> None:
        """Have a replica of a master take its place at once."""
        self.command("MINI.CLUSTER", "FAILOVER", node)

    def partition(self, *nodes: str) -> None:
        """Put nodes on a side of their own: they hear only one another."""
        self.command("MINI.CLUSTER", "PARTITION", *nodes)

    def split(self, node: str) -> None:
        """Have a replica take a master's place, while that, on a side of its own, goes on."""
        self.command("MINI.CLUSTER", "SPLIT", node)

    def lose(self, node: str) -> None:
        """Keep what a master confirms from now on from its replicas."""
        self.command("MINI.CLUSTER", "LOSE", node)

    def move(self, node: str, *slots: int | str) -> None:
        """Move slots with their keys to a master in one step: numbers, or ranges such as "0-99"."""
        self.command("MINI.CLUSTER", "MOVE", node, *slots)

    def heal(self) -> None:
        """End all that the methods above have begun."""
        self.command("MINI.CLUSTER", "HEAL")
