"""Lets the clock of a world follow Python's, which freezegun and time-machine stop and move.

Nothing tells when they do. So a test says Clock.follow; and a Follower compares the time before each command with what it should
be: the time at the last look, and what has passed since then if the clock runs. Only if these differ, the server is told.
"""

import sys
import threading
import time
from collections.abc import Callable

TOLERANCE = 2_000_000  # nanoseconds by which a clock that runs may be off
LOOK = 20_000  # nanoseconds for which a clock is watched to see whether it runs


def elapsed(counter: Callable[[], int] = time.perf_counter_ns) -> int:
    """Return nanoseconds by a clock that neither freezegun nor time-machine replaces."""
    if hasattr(time, "CLOCK_MONOTONIC"):
        return time.clock_gettime_ns(time.CLOCK_MONOTONIC)
    return counter()


def steered() -> bool:
    """Say whether something has been imported that can stop Python's clock."""
    return "freezegun" in sys.modules or "time_machine" in sys.modules


def python_time() -> tuple[int, bool]:
    """Return Python's time in nanoseconds, and whether it runs."""
    now, moment = time.time_ns(), elapsed()
    while elapsed() - moment < LOOK:
        pass
    return now, time.time_ns() != now


def commands(now: int, runs: bool) -> tuple[tuple[str, ...], tuple[str | int, ...]]:
    """Return the commands by which the clock of a world shows such a time, and runs or stands."""
    return ("MINI.CLOCK", "RESUME" if runs else "FREEZE"), ("MINI.CLOCK", "SET", round(now / 1_000_000))


class Follower:
    """Keeps the clock of a world with Python's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shown: tuple[int, int, bool] | None = None  # Python's time at a moment of elapsed, and whether it runs

    def follow(self, tell: Callable[..., list]) -> None:
        """Set the world's clock if it does not show Python's time. tell(command, ...) executes commands there and returns their replies."""
        with self._lock:
            if not self._is_right():
                self._set(tell)

    def _is_right(self) -> bool:
        if self._shown is None:
            return False
        then, moment, runs = self._shown
        if not runs:
            return time.time_ns() == then
        return abs(time.time_ns() - then - (elapsed() - moment)) < TOLERANCE

    def _set(self, tell: Callable[..., list]) -> None:
        moment = elapsed()
        now, runs = python_time()
        if not runs or self._shown is not None or _is_elsewhere(now, tell):
            tell(*commands(now, runs))
        self._shown = now, moment, runs


def _is_elsewhere(now: int, tell: Callable[..., list]) -> bool:
    """Say whether Python's time is another one than the machine's, which the server tells: both its time, and how far that is ahead."""
    [[_, shown, _, _, _, ahead]] = tell(("MINI.CLOCK", "STATUS"))
    return abs((shown - ahead) * 1_000_000 - now) > 1_000_000_000
