"""A place for the data of a FakeServer: a world of a process."""

import atexit
import functools
import os
import threading
import weakref
from collections.abc import Sequence
from typing import Any

from ..clock import Follower, steered
from ..world import World
from .host import Host, changes_common, host_of


class Place:
    """A world of a process that has some options. The first command that needs it makes it; close, or the garbage collector, removes it.

    guarded says that clients have to log in with what they were given: a test has set a password, or made a user. Else any password will do.
    """

    def __init__(self, options: tuple[str, ...], guarded: bool, follow_clock: bool | None) -> None:
        self._options, self.guarded, self._follow_clock = options, guarded, follow_clock
        self._host: Host | None = None
        self._follower = Follower()
        self._name, self._world, self._closed, self._beginning = "", None, False, threading.Lock()
        _places.add(self)

    @classmethod
    def default(cls, host: Host, follow_clock: bool | None = None) -> "Place":
        """Return the world of a process in which all its clients are that name no other. It stays."""
        place = cls((), False, follow_clock)
        place._settle(host, "default").detach()
        return place

    def _settle(self, host: Host, name: str) -> weakref.finalize:
        self._name = name
        self._changed_common: list[bool] = []  # not empty if this world has changed what others see
        self._finalizer = weakref.finalize(self, _drop, host, name, self._changed_common, os.getpid())
        self._finalizer.atexit = False
        self._host = host
        return self._finalizer

    def _begin(self) -> None:
        if self._host is not None:
            return
        with self._beginning:
            if self._host is None and not self._closed:
                host = host_of(self._options)
                self._settle(host, host.server.fresh_name("fakeredis"))

    @property
    def host(self) -> Host:
        """The process. ConnectionError if the place is closed."""
        self._begin()
        if self._closed:
            raise ConnectionError("this FakeServer is closed")
        return self._host

    @property
    def name(self) -> str:
        """The name of the world."""
        self._begin()
        return self._name

    @property
    def world(self) -> World:
        host = self.host
        if self._world is None:
            self._world = World(host.server, self._name)
        return self._world

    @property
    def is_gone(self) -> bool:
        """Whether it is closed, or its process has ended."""
        return self._closed or (self._host is not None and not self._host.lives())

    def follow(self) -> None:
        """Let the clock of the world show Python's time."""
        self._follower.follow(functools.partial(self.host.inside, self.name))

    def follows(self) -> bool:
        """Say whether that is to be done before each command."""
        return steered() if self._follow_clock is None else self._follow_clock

    def note(self, args: Sequence[Any]) -> None:
        """Note that a client is about to send a command."""
        if changes_common(args):
            self.host.note_common(args)
            self._changed_common.append(True)
            self.guarded = True

    def why(self, error: OSError) -> str:
        """Return why a command could not be sent."""
        if self._closed or self._host is None or isinstance(error, TimeoutError) or self._host.lives():
            return str(error)
        host, port = self._host.address
        last = self._host.server.log.strip().rpartition("\n")[2]
        return (
            f"miniserver at {host}:{port} does not answer ({error}), and the data of this FakeServer are gone with it. "
            f"A new FakeServer starts another process. The last line of the log: {last}"
        )

    def close(self) -> None:
        """Remove the world, and end the connections in it."""
        with self._beginning:
            self._closed = True
            found = self._host and self._finalizer.detach()
            if found:  # a call of the finalizer would do nothing while Python exits
                _, drop, args, _ = found
                drop(*args)


def _drop(host: Host, name: str, changed_common: list[bool], process: int) -> None:
    if os.getpid() == process:
        host.drop(name, bool(changed_common))


_places: "weakref.WeakSet[Place]" = weakref.WeakSet()
_exiting = threading.Event()


def wait_for_exit() -> None:
    """If Python exits, let a daemon thread wait for that, which has only lost its connection because of it."""
    if _exiting.is_set() and threading.current_thread().daemon:
        threading.Event().wait()


def _close_all() -> None:
    """Remove the worlds before the processes end: one to which the kit has only attached goes on."""
    _exiting.set()
    for place in list(_places):
        place.close()


def _after_fork() -> None:
    """A child of this process goes on with the worlds that there are, without the locks and connections of its parent."""
    for place in list(_places):
        place._beginning, place._world, place._follower = threading.Lock(), None, Follower()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
