"""A connection for the commands of the test kit.

The kit has a client of its own, which speaks just enough of the protocol. So it works beside every client library, of whatever
version, and beside one that is mocked, pooled or in cluster mode.
"""

import socket
import ssl
import threading
from collections.abc import Sequence
from typing import Any


class ReplyError(Exception):
    """An error that the server has replied with."""


class Connection:
    """A connection in a world. Threads may share it; they wait for each other."""

    def __init__(self, address: Any, world: str, patience: float | None = None) -> None:
        """Connect to the service.Address of a server and log in, in some seconds at most."""
        self._socket = socket.create_connection((address.host, address.port), patience)
        try:
            self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if address.scheme == "rediss":
                self._socket = trusting().wrap_socket(self._socket)
            self._replies = self._socket.makefile("rb")
            self._turn = threading.Lock()
            if address.password is not None:
                self.command("AUTH", address.password)
            self.command("MINI.WORLD", "USE", world, "OPERATOR")  # which no outage strikes
            self._socket.settimeout(None)
        except BaseException:
            self._socket.close()
            raise

    @property
    def certificate(self) -> str | None:
        """The certificate that the server shows, as PEM; None without TLS."""
        if not isinstance(self._socket, ssl.SSLSocket):
            return None
        return ssl.DER_cert_to_PEM_cert(self._socket.getpeercert(True))

    def command(self, *words: str | bytes | int | float) -> Any:
        """Execute a command and return its reply; texts are str."""
        return self.commands(words)[0]

    def commands(self, *commands: Sequence[str | bytes | int | float]) -> list[Any]:
        """Execute commands that are sent at once, and return their replies. The first error is raised when all have been read."""
        with self._turn:
            self._socket.sendall(b"".join(map(encode, commands)))
            replies = [self._read() for _ in commands]
        for reply in replies:
            if isinstance(reply, ReplyError):
                raise reply
        return replies

    def leave(self) -> None:
        """Close the connection if it is open. When this returns it is no client of its world any more."""
        if self._socket.fileno() >= 0:
            self.command("MINI.WORLD", "USE", "default")
            self.close()

    def close(self) -> None:
        self._replies.close()
        self._socket.close()

    def _read(self):
        line = self._replies.readline()
        if not line.endswith(b"\r\n"):
            raise ConnectionResetError("the server has closed the connection")
        kind, text = line[:1], line[1:-2].decode(errors="surrogateescape")
        match kind:
            case b"+":
                return text
            case b"-":
                return ReplyError(text)
            case b":":
                return int(text)
            case b"$":
                return self._read_bulk(int(text))
            case b"*":
                return None if text == "-1" else [self._read() for _ in range(int(text))]
        raise ConnectionError(f"unknown reply {line!r}")

    def _read_bulk(self, size):
        if size < 0:
            return None
        return self._replies.read(size + 2)[:-2].decode(errors="surrogateescape")


def trusting() -> ssl.SSLContext:
    """Return a context for TLS. Any certificate will do: the data are those of tests, and clients verify the one that is shown here, to a
    client that asks for no name. That is the authority of those for names, if the server has made it."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


def encode(words: Sequence[str | bytes | int | float]) -> bytes:
    """Return a command as it is sent."""
    parts = [b"*%d\r\n" % len(words)]
    for word in words:
        if not isinstance(word, bytes):
            word = str(word).encode(errors="surrogateescape")
        parts.append(b"$%d\r\n%s\r\n" % (len(word), word))
    return b"".join(parts)
