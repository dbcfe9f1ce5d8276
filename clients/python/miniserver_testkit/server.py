"""A server process for tests."""

import itertools
import json
import os
import re
import shutil
import subprocess
import sysconfig
import tempfile
from typing import Any

from .connection import Connection
from .world import AsyncWorld, World


class Server:
    """A running miniserver. It ends with close, at the end of a with block, or with this process.

    options are those of the program, such as "--maxmemory", "10mb". If "--requirepass" is one of them, the URLs of worlds have the
    password, and with "--tls-self-signed", or a --tls-port of your own, they are for TLS: certificate is what a client has to trust, as PEM.
    binary is the program's path; without one it is that in the environment variable MINISERVER_BINARY, or else the program
    that came with this package, or else the one in PATH.
    """

    def __init__(self, *options: str | os.PathLike[str], binary: str | os.PathLike[str] | None = None) -> None:
        command = [find(binary), "--port", "0", "--test-kit", "yes", "--ready-json", "--exit-with-parent", *options]
        self._password = _password_in(options)
        self._log = tempfile.TemporaryFile("w+")
        self._process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self._log)
        line = self._process.stdout.readline()
        if not line:
            self.close()
            raise RuntimeError(f"miniserver does not start: {self._last_words}")
        ready = json.loads(line)
        self.pid, self.version, self.port = ready["pid"], ready["version"], ready["port"]
        self.scheme, self.certificate = ready["url"].partition(":")[0], ready.get("certificate")
        self.host = ready["addresses"][0].rpartition(":")[0].strip("[]")
        self._own, self._names = None, itertools.count(1)

    def world(self, name: str | None = None) -> World:
        """Return the world of that name; without one, a new world."""
        return World(self, name or self.fresh_name("world"))

    def async_world(self, name: str | None = None) -> AsyncWorld:
        """Return a world whose methods are coroutines."""
        return AsyncWorld(self, name or self.fresh_name("world"))

    def fresh_name(self, title: str) -> str:
        """Return a name for a world that no other has had, with a title that makes it recognizable."""
        return f"{next(self._names)}-{re.sub(r'[^A-Za-z0-9_.-]', '-', title)[:100]}"

    def drop(self, name: str) -> None:
        """Remove what a world holds, and the world unless clients are left in it."""
        for _, world, _, clients, *_ in self.command("MINI.WORLD", "LIST"):
            if world == name:
                self.command("MINI.WORLD", "RESET", name)
                if clients == 0:
                    self.command("MINI.WORLD", "DROP", name)

    def command(self, *words: str | bytes | int | float) -> Any:
        """Execute a command in the world of new connections and return its reply."""
        if self._own is None:
            self._own = self.connect("default")
        return self._own.command(*words)

    def connect(self, world: str) -> Connection:
        return Connection((self.host, self.port), world, self._password, self.scheme == "rediss")

    def password_of(self, world: str) -> str:
        """Return the password by which clients log in to a world as the user world."""
        return world if self._password is None else f"{world}:{self._password}"

    @property
    def log(self) -> str:
        """What the server has logged."""
        if self._log.closed:
            return self._last_words
        self._log.seek(0)
        return self._log.read()

    def close(self) -> None:
        """End the process."""
        if self._log.closed:
            return
        self._process.terminate()
        self._process.wait()
        self._process.stdout.close()
        self._last_words = self.log
        self._log.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _password_in(options):
    """Return the value of --requirepass; None if there is none."""
    values = [value for option, value in itertools.pairwise(options) if option == "--requirepass"]
    return values[-1] if values else None


def find(binary=None):
    """Return the path of the program."""
    path = binary or os.environ.get("MINISERVER_BINARY") or _packaged() or shutil.which("miniserver")
    if not path:
        raise FileNotFoundError("there is no miniserver: pass binary=, set MINISERVER_BINARY, or add it to PATH")
    return path


def _packaged():
    """Return the path of the program that was installed with this package, among the scripts; None if there is none."""
    name = "miniserver" + (sysconfig.get_config_var("EXE") or "")
    for scheme in sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user"):
        path = os.path.join(sysconfig.get_path("scripts", scheme), name)
        if os.path.isfile(path):
            return path
    return None
