"""A server that others have started: a service of docker compose or of a CI, or one that several processes share."""

import errno
import socket
import time
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from .clock import elapsed
from .connection import Connection, ReplyError

# What a connection meets while a server starts, or the network of its container.
_NOT_YET = ConnectionRefusedError, ConnectionResetError, socket.gaierror, TimeoutError


class Address(NamedTuple):
    """Where a server is, and the password of its default user; None if that needs none. As a text it has no password."""

    scheme: str
    host: str
    port: int
    password: str | None = None

    def __str__(self):
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}"


def address_of(url: str) -> Address:
    """Return the address in a URL such as redis://:secret@host:6379, of which the path does not count."""
    parts = urlsplit(url)
    if parts.scheme not in ("redis", "rediss") or not parts.hostname:
        raise ValueError("the URL of a server begins with redis:// or rediss:// and a host, such as redis://:PASSWORD@localhost:6379")
    if parts.username not in (None, "", "default"):
        raise ValueError(f"the URL of a server has the password of its default user and no other user, so not {parts.username}")
    password = None if parts.password is None else unquote(parts.password)
    return Address(parts.scheme, parts.hostname, parts.port or 6379, password)


def attach(address: Address, patience: float) -> Connection:
    """Connect to a server, which may still start for some seconds, and require that it has the test kit."""
    deadline = elapsed() + patience * 1e9
    while True:
        try:
            return Connection(address, "default", patience)
        except ReplyError as error:
            raise RuntimeError(f"{address} {_refusal(str(error))}") from None
        except OSError as error:
            if not _may_still_start(error) or elapsed() > deadline:
                raise ConnectionError(f"{address} cannot be reached: {error}") from error
            time.sleep(0.1)


def _may_still_start(error):
    return isinstance(error, _NOT_YET) or error.errno in (errno.EHOSTUNREACH, errno.ENETUNREACH)


def _refusal(error):
    if "unknown command" in error:
        return "has no test kit: start it with miniserver --test-kit yes, or a container with the arguments --test-kit yes --requirepass PASSWORD"
    if error.startswith("NOAUTH"):
        return "wants a password, as in redis://:PASSWORD@host:6379"
    return f"does not let the kit in: {error}"


def facts(connection: Connection) -> dict[str, Any]:
    """Return what INFO says of the server."""
    lines = connection.command("INFO", "server").splitlines()
    return dict(line.split(":", 1) for line in lines if ":" in line)


def left_in(connection: Connection) -> list[str]:
    """Return what was left behind in the world of a connection, a line for each client and each leak, and disconnect the clients."""
    connection.command("MINI.FAULT", "CLEAR")  # which might strike what follows
    clients = [dict(word.partition("=")[::2] for word in line.split(" ")) for line in connection.command("CLIENT", "LIST").splitlines()]
    own = str(connection.command("CLIENT", "ID"))
    left = [f"client {c['id']} at {c['addr']}" + (f" named {c['name']}" if c["name"] else "") for c in clients if c["id"] != own]
    left += connection.command("MINI.LEAKS")
    connection.command("CLIENT", "KILL", "SKIPME", "yes")
    return left
