"""Worlds: what tests steer, each on its own.

A method sends one command of the test kit. How it is sent, and when the reply comes, is the only difference between World and
AsyncWorld: all other methods go through _ask.
"""

import asyncio
import warnings
from datetime import datetime, timedelta, timezone
from typing import NamedTuple
from urllib.parse import quote

from . import clock
from .connection import ReplyError


class FaultWarning(UserWarning):
    """A fault has struck nothing, or is about to: the client library sends other commands."""


class World:
    """A world of a server: databases, scripts, channels, a clock, faults and random numbers of its own.

    It begins with its first client, and one that connects to url is in it. close removes what it holds.
    """

    def __init__(self, server, name):
        self.server, self.name = server, name
        self.host, self.port = server.host, server.port
        self.username, self.password = "world", server.password_of(name)
        self.clock, self.faults, self.outage, self.chaos = Clock(self), Faults(self), Outage(self), Chaos(self)
        self._own = None

    @property
    def url(self):
        """The URL by which any client connects to the world."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.server.scheme}://{self.username}:{quote(self.password, safe='')}@{host}:{self.port}"

    def command(self, *words):
        """Execute a command in this world and return its reply."""
        return self._ask(*words)

    def seed(self, number):
        """Start all that is random anew, so that it repeats."""
        return self._ask("MINI.SEED", number)

    def snapshot(self, name):
        """Keep a copy of the data, the functions and the clock; every world of the server can restore it."""
        return self._ask("MINI.WORLD", "SNAPSHOT", name)

    def restore(self, name):
        """Replace the data, the functions and the clock by those of a snapshot."""
        return self._ask("MINI.WORLD", "RESTORE", name)

    def forget(self, name):
        """Remove a snapshot."""
        return self._ask("MINI.WORLD", "FORGET", name)

    def reset(self):
        """Make the world as it was when it was new. Its clients stay."""
        return self._ask("MINI.WORLD", "RESET")

    def fork(self, name=None):
        """Return a new world with a copy of this one."""
        new = type(self)(self.server, name or self.server.fresh_name(self.name))
        return self._ask("MINI.WORLD", "FORK", self.name, new.name, then=lambda _: new)

    def dump(self, pattern=None):
        """Return the data as text, for golden files; with a pattern only the keys that match."""
        return self._ask("MINI.DUMP", *([] if pattern is None else [pattern]), then=_text)

    def diff(self, before):
        """Return how the data differ from those of a snapshot or another world: as text, "" if they are equal."""
        return self._ask("MINI.DIFF", before, self.name, then=_text)

    def leaks(self, since=None):
        """Return a line for each key without a deadline, lock, open transaction, blocked or subscribed client."""
        return self._ask("MINI.LEAKS", *(["SINCE", since] if since else []))

    def mark(self, name):
        """Give the present moment a name, for leaks(since=name)."""
        return self._ask("MINI.LEAKS", "MARK", name)

    def wait_for(self, *condition, timeout=5.0):
        """Wait until something is the case, in the words of MINI.WAITFOR; after timeout raise TimeoutError, which says what was there
        instead. A timeout is seconds, a timedelta, or a text such as "250ms"."""
        return self._ask("MINI.WAITFOR", *condition, "TIMEOUT", _duration(timeout))

    def wait_for_blocked(self, count, timeout=5.0):
        """Wait until that many clients are blocked, in BLPOP for example."""
        return self.wait_for("BLOCKED", count, timeout=timeout)

    def wait_for_key(self, key, value=None, timeout=5.0):
        """Wait until a key exists, or is a string of that value."""
        return self.wait_for("KEY", key, *([] if value is None else [value]), timeout=timeout)

    def wait_for_length(self, key, count, timeout=5.0):
        """Wait until a value has that many elements, or bytes."""
        return self.wait_for("LENGTH", key, count, timeout=timeout)

    def wait_for_subscribers(self, channel, count, timeout=5.0):
        """Wait until that many clients listen to a channel."""
        return self.wait_for("SUBSCRIBERS", channel, count, timeout=timeout)

    def wait_for_outage(self, count, timeout=5.0):
        """Wait until the outage has hit that many connections."""
        return self.wait_for("OUTAGE", count, timeout=timeout)

    def wait_for_quiet(self, seconds, timeout=5.0):
        """Wait until no command has ended for some time."""
        return self.wait_for("QUIET", _duration(seconds), timeout=timeout)

    def close(self):
        """Remove what the world holds; if clients are left in it, it stays, empty."""
        if self._own is not None:
            self.faults._warn()
            self._own.leave()
            self._own = None
        self.server.drop(self.name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _ask(self, *words, then=lambda reply: reply):
        """Execute a command and return what then makes of its reply. A wait has a connection to itself, and holds up no other thread."""
        if words[0] == "MINI.WAITFOR":
            return then(self._wait_alone(words))
        if self._own is None:
            self._own = self.server.connect(self.name)
        return then(self._own.command(*words))

    def _wait_alone(self, words):
        connection = self.server.connect(self.name)
        try:
            return connection.command(*words)
        except ReplyError as error:
            if str(error).startswith("TIMEOUT "):
                raise TimeoutError(str(error)) from None
            raise
        finally:
            connection.close()


class AsyncWorld(World):
    """A world whose methods that send commands are coroutines. A thread sends them, so that any event loop will do."""

    async def _ask(self, *words, then=lambda reply: reply):
        return await asyncio.to_thread(super()._ask, *words, then=then)

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        await asyncio.to_thread(self.close)


class Clock:
    """The clock of a world. Every method returns the time that it shows then."""

    def __init__(self, world):
        self._world = world

    def freeze(self):
        """Stop the clock."""
        return self._do("FREEZE")

    def advance(self, time=None, **parts):
        """Move the clock ahead by a timedelta, its parts, as in advance(hours=1), or a text such as "1h30m". What is due on the way happens
        before it returns."""
        return self._do("ADVANCE", time if isinstance(time, str) else _milliseconds(time or timedelta(**parts)))

    def set(self, time):
        """Set the clock to a datetime, or a text such as "2030-01-31T12:00:00Z"."""
        return self._do("SET", time if isinstance(time, str) else round(time.timestamp() * 1000))

    def scale(self, factor):
        """Let the clock run so many times as fast as the machine's."""
        return self._do("SCALE", factor)

    def resume(self):
        """Let the clock run at the machine's pace, from the time that it shows."""
        return self._do("RESUME")

    def follow(self):
        """Let the clock show Python's time, which freezegun and time-machine stop and move, and stand or run as that does. For tests of
        what goes partly by the one and partly by the other: call it when Python's time has been stopped or moved."""
        scale, time = clock.commands(*clock.python_time())
        return self._world._ask(*scale, then=lambda _: _datetime(self._world._own.command(*time)))

    def now(self):
        """Return the time as a datetime in UTC."""
        return self._world._ask("MINI.CLOCK", "STATUS", then=lambda status: _datetime(status[1]))

    def _do(self, *words):
        return self._world._ask("MINI.CLOCK", *words, then=_datetime)


class Faults:
    """Faults on demand, of a world."""

    def __init__(self, world):
        self._world = world

    def add(self, id, *words):
        """Add a fault, in the words that follow MINI.FAULT ADD id. A FaultWarning says if redis-py sends other commands."""
        return self._world._ask("MINI.FAULT", "ADD", id, *words, then=lambda reply: self._warn(id, "redis-py") or reply)

    def list(self):
        """Return the faults, each with how many commands it has seen and struck."""
        return self._world._ask("MINI.FAULT", "LIST", then=_faults)

    def clear(self, id=None):
        """Remove a fault, or all."""
        return self._world._ask("MINI.FAULT", "CLEAR", *([] if id is None else [id]))

    def _warn(self, id=None, word=""):
        """Warn of the faults, or of one, that have struck nothing, if the note on them has a word."""
        for fault in _faults(self._world._own.command("MINI.FAULT", "LIST")):
            if fault.note and word in fault.note and id in (None, fault.id):
                warnings.warn(f"fault {fault.id} {fault.fault} {fault.note}", FaultWarning, stacklevel=4)


class Fault(NamedTuple):
    """A fault: its rule in the words of MINI.FAULT, how many commands its selectors have matched, how many of them it has struck, and why
    there may be none of them; "" if there are."""

    id: str
    fault: str
    seen: int
    hits: int
    note: str


class Outage:
    """An outage of the connections of a world's clients. Those of the kit itself are spared."""

    def __init__(self, world):
        self._world = world

    def begin(self, *words):
        """Begin an outage, in the words that follow MINI.OUTAGE BEGIN: begin("CUT"), begin("HANG", "FOR", "5s"), begin("DOWN")."""
        return self._world._ask("MINI.WORLD", "NAME", then=lambda _: self._begin(words))

    def _begin(self, words):
        self._world.server.command("MINI.WORLD", "NAME")  # while it can connect
        return self._world._own.command("MINI.OUTAGE", "BEGIN", *words)

    def end(self):
        """End it, if there is one. What hangs goes on."""
        return self._world._ask("MINI.OUTAGE", "END")

    def struck(self):
        """Return how many connections were disconnected or hang, each as often as that happened."""
        return self._world._ask("MINI.OUTAGE", "STATUS", then=lambda status: status[5])


class Chaos:
    """Unpleasant choices that the server of a world may make: "order", "scan", "evict", "time"."""

    def __init__(self, world):
        self._world = world

    def on(self, whim):
        """Let the server make choices of a kind."""
        return self._world._ask("MINI.CHAOS", whim, "ON")

    def off(self, whim):
        """End it."""
        return self._world._ask("MINI.CHAOS", whim, "OFF")

    def status(self):
        """Return a dict that says of each kind whether it is on."""
        return self._world._ask("MINI.CHAOS", "STATUS", then=lambda s: {s[i]: s[i + 1] == "on" for i in range(0, len(s), 2)})


def _faults(reply):
    return [Fault(*fault[1::2]) for fault in reply]


def _duration(time):
    """Return a duration as the kit reads it: of seconds, a timedelta, or a text."""
    if isinstance(time, timedelta):
        return _milliseconds(time)
    return time if isinstance(time, str) else round(time * 1000)


def _milliseconds(time):
    return time // timedelta(milliseconds=1)


def _text(lines):
    return "".join(line + "\n" for line in lines)


def _datetime(milliseconds):
    return datetime.fromtimestamp(milliseconds / 1000, timezone.utc)
