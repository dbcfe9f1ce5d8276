"""A server process for tests."""

import itertools
import os
import re
from typing import Any

from .connection import Connection
from .program import Program, find
from .world import AsyncWorld, World


class Server:
    """A running miniserver. It ends with close, at the end of a with block, or with this process.

    options are those of the program, such as "--maxmemory", "10mb". If "--requirepass" is one of them, the URLs of worlds have the
    password, and with "--tls-self-signed", or a --tls-port of your own, they are for TLS: certificate is what a client has to trust, as PEM.
    binary is the program's path; without one it is that in the environment variable MINISERVER_BINARY, or else the program
    that came with this package, or else the one in PATH.
    """

    def __init__(self, *options: str | os.PathLike[str], binary: str | os.PathLike[str] | None = None) -> None:
        fixed = "--port", "0", "--test-kit", "yes", "--ready-json", "--exit-with-parent"
        self._own, self._names = None, itertools.count(1)
        self._password = _password_in(options)
        self._program = Program(find(binary), *fixed, *options)
        ready = self._program.ready
        self.pid, self.version, self.port = ready["pid"], ready["version"], ready["port"]
        self.scheme, self.certificate = ready["url"].partition(":")[0], ready.get("certificate")
        self.host = ready["addresses"][0].rpartition(":")[0].strip("[]")

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
        return self._program.log

    def close(self) -> None:
        """End the process."""
        if self._own is not None:
            self._own.close()
        self._program.close()

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _password_in(options):
    """Return the value of --requirepass; None if there is none."""
    values = [value for option, value in itertools.pairwise(options) if option == "--requirepass"]
    return values[-1] if values else None
