"""A server process for tests."""

import itertools
import os
import re
import secrets
import warnings
import weakref
from typing import Any
from urllib.parse import quote

from .connection import Connection
from .program import Program, find, patience
from .service import Address, address_of, attach, facts, left_in
from .world import AsyncWorld, World


class LeftBehindWarning(UserWarning):
    """What tests have left behind on a server that others have started."""


class Server:
    """A running miniserver: one of its own that it starts, or one that others have started.

    Server() starts one, which ends with close, at the end of a with block, or with this process. options are those of the program, such as
    "--maxmemory", "10mb". binary is the program's path; without one it is that in the environment variable MINISERVER_BINARY, or
    else the program that came with this package, or else the one in PATH. With tls, worlds have URLs for TLS, as with the option
    "--tls-self-signed", and certificate is what a client has to trust, as PEM. If "--requirepass" is an option, they have the password.

    Server(url="redis://:secret@host:6379") attaches to a server that runs, and so does Server(), without options, if the environment
    variable MINISERVER_URL has a URL. That server needs the test kit. close then leaves it running, but removes the worlds that this object
    has named, and warns of what was left behind in them.

    Whatever needs a server gets it from this class, and from the fixture miniserver, which makes one for the whole test run.
    """

    def __init__(
        self,
        *options: str | os.PathLike[str],
        binary: str | os.PathLike[str] | None = None,
        url: str | None = None,
        tls: bool = False,
    ) -> None:
        self._own: Connection | None = None
        self._names, self._mark = itertools.count(1), ""
        self._connections: weakref.WeakSet[Connection] = weakref.WeakSet()
        if not options and not binary and not tls:
            url = url or os.environ.get("MINISERVER_URL")
        if not url:
            self._start(find(binary), [*options, *(["--tls-self-signed"] if tls else [])])
        elif options or binary or tls:
            raise ValueError("a server that runs takes no options: start it with them")
        else:
            self._attach(address_of(url))

    def _start(self, path, options):
        fixed = "--port", "0", "--test-kit", "yes", "--ready-json", "--exit-with-parent"
        self._program = Program(path, *fixed, *options)
        ready = self._program.ready
        host = ready["addresses"][0].rpartition(":")[0].strip("[]")
        self._settle(Address(ready["url"].partition(":")[0], host, ready["port"], _password_in(options)))
        self.pid, self.version, self.certificate = ready["pid"], ready["version"], ready.get("certificate")

    def _attach(self, address):
        self._program = None
        self._mark = secrets.token_hex(4) + "-"  # no other process has it
        self._own = attach(address, patience())
        self._own.command("MINI.WORLD", "OWN", self._mark[:-1])  # so that the worlds go if this process is killed
        self._settle(address)
        info = facts(self._own)
        self.pid, self.version, self.certificate = int(info["process_id"]), info["miniserver_version"], self._own.certificate

    def _settle(self, address):
        self._address = address
        self.scheme, self.host, self.port = address.scheme, address.host, address.port

    @property
    def url(self) -> str:
        """The URL of the server, by which other processes can attach to it; clients use those of worlds."""
        password = self._address.password
        return str(self._address).replace("://", "://" if password is None else f"://:{quote(password, safe='')}@", 1)

    def world(self, name: str | None = None) -> World:
        """Return the world of that name; without one, a new world."""
        return World(self, name or self.fresh_name("world"))

    def async_world(self, name: str | None = None) -> AsyncWorld:
        """Return a world whose methods are coroutines."""
        return AsyncWorld(self, name or self.fresh_name("world"))

    def fresh_name(self, title: str) -> str:
        """Return a name for a world that no other has had, with a title that makes it recognizable."""
        return f"{self._mark}{next(self._names)}-{re.sub(r'[^A-Za-z0-9_.-]', '-', title)[:100]}"

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

    def restart(self, *, empty: bool = False) -> None:
        """Do to clients what a restart of the server at the same address does: their connections end, and cached scripts are gone. The
        data of all worlds stay, or with empty they are as after reset, but for their clocks."""
        self.command("MINI.OUTAGE", "RESTART", *(["EMPTY"] if empty else []))

    def connect(self, world: str) -> Connection:
        """Return a connection in a world, for the commands of the test kit."""
        connection = Connection(self._address, world)
        self._connections.add(connection)
        return connection

    def password_of(self, world: str) -> str:
        """Return the password by which clients log in to a world as the user world."""
        return world if self._address.password is None else f"{world}:{self._address.password}"

    @property
    def log(self) -> str:
        """What the server has logged; "" if others have started it."""
        return self._program.log if self._program else ""

    def close(self) -> None:
        """End the process. A server that others have started runs on, without the worlds that this object has named."""
        if self._program:
            if self._own is not None:
                self._own.close()
            self._program.close()
        elif self._own is not None:
            try:
                self._leave()
            except OSError as error:
                warnings.warn(f"{self._address} is gone: {error}", RuntimeWarning, stacklevel=2)
            self._own.close()
            self._own = None

    def _leave(self):
        """Remove the worlds that have the mark in their names, and warn of what was left behind there."""
        for connection in self._connections:
            connection.leave()
        for _, name, *_ in self.command("MINI.WORLD", "LIST"):
            if name.startswith(self._mark):
                connection = self.connect(name)
                left = left_in(connection)
                connection.leave()
                self.drop(name)
                if left:
                    more = f"; and {len(left) - 10} more" if len(left) > 10 else ""
                    warnings.warn(f"left behind in the world {name}: {'; '.join(left[:10])}{more}", LeftBehindWarning, stacklevel=3)

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _password_in(options):
    """Return the value of --requirepass; None if there is none."""
    values = [value for option, value in itertools.pairwise(options) if option == "--requirepass"]
    return values[-1] if values else None
