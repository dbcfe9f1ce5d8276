"""The program: where it is, how it starts, and how it ends.

What is found need not be the program, or not one for this machine. So whatever does not say in time that it is ready is ended,
with all that it has started, and the error names its path and the reason.

The first command of a test may start it, while the test has replaced subprocess.Popen, threading.Thread or the time. So the
names of those are taken when this module is loaded, files are looked at by os.stat, and time is counted by a clock that nothing replaces.
"""

import json
import os
import queue
import signal
import stat
import sysconfig
import tempfile
from subprocess import DEVNULL, PIPE, Popen, TimeoutExpired
from threading import Thread
from typing import Any, NoReturn

from .clock import elapsed

# The bytes of a ready line, at most; a certificate is part of it.
_LINE = 1 << 16

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way to end a process


class Program:
    """A process of the program that is ready. It ends with close, or with this process.

    ready is what it says of itself with --ready-json. The variable MINISERVER_START_TIMEOUT is how many seconds it may take.
    """

    def __init__(self, path: str, *options: str | os.PathLike[str]) -> None:
        self._path, self._patience = path, patience()
        self._log = tempfile.TemporaryFile("w+", errors="replace")
        try:
            # In a session of its own, so that it ends with what it has started, and Ctrl-C is for this process alone.
            self._process = Popen(
                [path, *options], stdin=DEVNULL, stdout=PIPE, stderr=self._log, start_new_session=True
            )
        except OSError as error:
            self._log.close()
            raise RuntimeError(f"miniserver does not start: {path} {_refusal(error)}") from error
        try:
            self.ready = self._wait_until_ready()
        except BaseException:
            self._kill()
            self._log.close()
            raise

    @property
    def log(self) -> str:
        """What it has logged."""
        if self._log.closed:
            return self._last_words
        self._log.seek(0)
        return self._log.read()

    def close(self) -> None:
        """End it. If it takes longer than to start, it is killed."""
        if self._log.closed:
            return
        self._signal(signal.SIGTERM)
        try:
            self._process.wait(self._patience)
        except TimeoutExpired:
            self._kill()
        self._last_words = self.log
        self._log.close()

    def _wait_until_ready(self) -> dict[str, Any]:
        line = self._first_line()
        try:
            ready = json.loads(line)
            if {"url", "port", "addresses", "pid", "version"} <= ready.keys():
                return ready
        except (ValueError, AttributeError):
            pass
        self._fail(f'printed "{_text(line[:200])}" in place of its ready line')

    def _first_line(self) -> bytes:
        """Return the first line that it prints."""
        lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        out = self._process.stdout
        reader = Thread(target=lambda: lines.put(out.readline(_LINE)), daemon=True)
        reader.start()
        try:
            return self._await(lines)
        finally:
            reader.join(1)
            if not reader.is_alive():
                out.close()

    def _await(self, lines) -> bytes:
        deadline, line = elapsed() + self._patience * 1e9, None
        while elapsed() < deadline:
            status = self._process.poll()
            if status is not None:
                self._signal(_KILL)  # what it leaves behind may hold its output open
            try:
                line = lines.get(timeout=0.02 if status is None else 1) if line is None else line
            except queue.Empty:
                pass
            if status is not None:
                self._fail(f"ended with status {status}" if status >= 0 else f"ended by signal {-status}", _text(line or b""))
            if line:
                return line
        self._fail(f"has not said in {self._patience:g} seconds that it is ready")

    def _fail(self, reason, printed="") -> NoReturn:
        self._kill()
        words = " ".join(filter(None, [printed, self.log[-2000:].strip()]))
        raise RuntimeError(f"miniserver does not start: {self._path} {reason}" + (f": {words}" if words else ""))

    def _kill(self):
        self._signal(_KILL)
        self._process.wait()

    def _signal(self, number):
        """Send a signal to it and to what it has started; Windows knows no such groups of processes."""
        if not isinstance(self._process.pid, int):
            return  # a mock's, which counts as 1: that is the group of all processes
        try:
            os.killpg(self._process.pid, number) if os.name == "posix" else self._process.terminate()
        except (ProcessLookupError, PermissionError):
            pass  # they have ended


def patience() -> float:
    """Return how many seconds a server may take to get ready."""
    text = os.environ.get("MINISERVER_START_TIMEOUT") or "10"
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"MINISERVER_START_TIMEOUT: {text} is not a number of seconds") from None


def _refusal(error):
    """Return why the system does not run a file that is there."""
    return "needs an interpreter that is not there" if isinstance(error, FileNotFoundError) else f"cannot be run: {error.strerror}"


def _text(line):
    return line.decode(errors="replace").strip()


def find(binary: str | os.PathLike[str] | None = None) -> str:
    """Return the path of the program: the given one, that in MINISERVER_BINARY, that of this package, or the one in PATH."""
    for path, whence in (binary, "binary"), (os.environ.get("MINISERVER_BINARY"), "MINISERVER_BINARY"):
        if path:
            path = os.path.abspath(path)
            if reason := _unfit(path):
                raise FileNotFoundError(f"{whence} names {path}, which {reason}")
            return path
    return _packaged() or _in_path()


def _name():
    return "miniserver" + (sysconfig.get_config_var("EXE") or "")


def _packaged():
    """Return the path of the program that was installed with this package, among the scripts; None if there is none."""
    for scheme in sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"):
        path = os.path.join(sysconfig.get_path("scripts", scheme), _name())
        if not _unfit(path):
            return path
    return None


def _in_path():
    """Return the path of the first program in PATH that can be run."""
    unfit = []
    for folder in filter(None, os.environ.get("PATH", "").split(os.pathsep)):
        path = os.path.join(folder, _name())
        reason = _unfit(path)
        if not reason:
            return path
        if os.path.lexists(path):
            unfit.append(f"{path} {reason}")
    found = f"; in PATH, {', '.join(unfit)}" if unfit else ""
    raise FileNotFoundError(f"there is no miniserver: pass binary=, set MINISERVER_BINARY, or add it to PATH{found}")


def _unfit(path):
    """Return why a file cannot be the program, in words that follow its path; None if it may be."""
    try:
        file = os.stat(path)
    except (OSError, ValueError):
        return "leads to nothing" if os.path.islink(path) else "is not there"
    if stat.S_ISDIR(file.st_mode):
        return "is a directory"
    if not stat.S_ISREG(file.st_mode):
        return "is not a file"
    if not os.access(path, os.X_OK):
        return "is not executable"
    if file.st_size == 0:
        return "is empty"
    machine = _machine("/proc/self/exe")
    if machine and _machine(path) not in (None, machine):
        return "is for another kind of machine"
    return None


def _machine(path):
    """Return what a program of Linux says of the machine that it is for, its word size and processor; None of other files."""
    try:
        with open(path, "rb") as file:
            start = file.read(20)
    except OSError:
        return None
    return (start[4:5], start[18:20]) if start.startswith(b"\x7fELF") else None
