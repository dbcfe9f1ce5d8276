"""Processes of miniserver. All servers of a process of Python that want the same options share one, in which each has a world."""

import atexit
import os
import threading
import weakref
from collections import deque
from collections.abc import Sequence
from typing import Any

from ..connection import Connection, ReplyError
from ..server import Server

# Commands that change what all worlds of a process share: its parameters and its users.
COMMON = "CONFIG SET", "ACL SETUSER", "ACL DELUSER", "ACL LOAD"


def text(word: Any) -> str:
    """Return a word of a command as text."""
    return word.decode(errors="replace") if isinstance(word, bytes) else str(word)


def changes_common(args: Sequence[Any]) -> bool:
    """Say whether a command changes what worlds share. redis-py has CONFIG SET as one word or as two."""
    return " ".join(map(text, args[:2])).upper().startswith(COMMON)


class Host:
    """A process of miniserver.

    drop may be called at any moment, also by the garbage collector in the midst of another method. So it never waits for the lock:
    a name that it cannot remove now is removed by whoever has the lock.
    """

    def __init__(self, *options: str) -> None:
        self.server, self._process = Server(*options), os.getpid()
        self.password = self._first_password = self.server.password_of("").removeprefix(":")
        self._common: list[Any] | None = None
        self._reset()
        self._connected()  # before an outage lets nobody connect
        _all.add(self)

    def _reset(self) -> None:
        self._lock, self._dead, self._control = threading.Lock(), deque(), None

    @property
    def address(self) -> tuple[str, int]:
        return self.server.host, self.server.port

    @property
    def is_secure(self) -> bool:
        """Whether it speaks TLS: one that others have started may."""
        return self.server.scheme == "rediss"

    def lives(self) -> bool:
        try:
            return self.do(("PING",)) == ["PONG"]
        except OSError:
            return False

    def do(self, *commands: tuple[Any, ...]) -> list[Any]:
        """Execute commands in the world of new connections."""
        with self._lock:
            try:
                replies = self._connected().commands(*commands)
            except OSError:
                self._hang_up()
                raise
        self._sweep()
        return replies

    def inside(self, world: str, *commands: tuple[Any, ...]) -> list[Any]:
        """Execute commands in a world, of which the connection is no client before and after."""
        return self.do(("MINI.WORLD", "USE", world, "OPERATOR"), *commands, ("MINI.WORLD", "USE", "default", "OPERATOR"))[1:-1]

    def note_common(self, args: Sequence[Any]) -> None:
        """Note that a command is about to change what worlds share: keep it as it is now, for drop."""
        if self._common is None:
            self._common = self.do(("CONFIG", "GET", "*"), ("ACL", "LIST"))
        words = [text(word) for word in args]
        for name, value in zip(words, words[1:]):
            if name.lower() == "requirepass":
                self.password = value

    def password_of(self, world: str) -> str:
        """Return the password by which a client gets into a world, as the user world."""
        return f"{world}:{self.password}" if self.password else world

    def drop(self, world: str, changed_common: bool = False) -> None:
        """Remove a world, with its clients, and restore what it may have changed for others."""
        self._dead.append((world, changed_common))
        self._sweep()

    def _sweep(self) -> None:
        while self._dead and self._lock.acquire(blocking=False):
            try:
                while self._dead:
                    self._remove(*self._dead.popleft())
            finally:
                self._lock.release()

    def _remove(self, world: str, changed_common: bool) -> None:
        try:
            control = self._connected()
            control.command("MINI.WORLD", "USE", world, "OPERATOR")
            control.commands(("CLIENT", "KILL", "SKIPME", "yes"), ("MINI.WORLD", "USE", "default", "OPERATOR"), ("MINI.WORLD", "DROP", world))
            if changed_common:
                self.password = self._first_password
                control.commands(*self._differences(*control.commands(("CONFIG", "GET", "*"), ("ACL", "LIST"))))
        except Exception:  # the process has ended, and its worlds with it; or a test has replaced sockets
            self._hang_up()

    def _connected(self) -> Connection:
        if self._control is None:
            self._control = self.server.connect("default")
        return self._control

    def _differences(self, settings: list[str], users: list[str]) -> list[tuple[str, ...]]:
        """Return the commands that make settings and users what they were. A user is a line such as "user alice on +get"."""
        was, is_now = dict(zip(*[iter(self._common[0])] * 2)), dict(zip(*[iter(settings)] * 2))
        config = [("CONFIG", "SET", name, was[name]) for name in was if is_now.get(name) != was[name]]
        names = {line.split()[1] for line in self._common[1]}
        gone = [("ACL", "DELUSER", line.split()[1]) for line in users if line.split()[1] not in names]
        changed = [line.split() for line in self._common[1] if line not in users]
        return config + gone + [("ACL", "SETUSER", name, "reset", *rules) for _, name, *rules in changed]

    def close(self) -> None:
        """End the process, unless it is that of a parent."""
        if os.getpid() == self._process:
            self._hang_up()
            self.server.close()

    def _hang_up(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None


_hosts: dict[tuple[str, ...], Host] = {}
_starting = threading.Lock()
_all: "weakref.WeakSet[Host]" = weakref.WeakSet()


def host_of(options: tuple[str, ...]) -> Host:
    """Return the process with these options; if there is none, or it has ended, start one."""
    with _starting:
        host = _hosts.get(options)
        if host is not None and not host.lives():
            host.close()
            host = None
        if host is None:
            host = _hosts[options] = Host(*options)
        return host


def close_all() -> None:
    """End all processes."""
    while _hosts:
        _hosts.popitem()[1].close()


def _after_fork() -> None:
    """A child goes on with the worlds of its parent, over connections of its own, but it ends no process of it."""
    global _starting
    _starting = threading.Lock()
    _hosts.clear()
    for host in _all:
        host._reset()


atexit.register(close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
