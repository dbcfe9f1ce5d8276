"""A server at an address of the user's choice."""

import socket
import threading
import weakref
from typing import Any

from .host import Host
from .place import Place
from .release import ServerType, Version, like
from .server import FakeServer


class TcpFakeServer:
    """A process of miniserver that listens at an address, for clients that are told one.

    It serves from the start; serve_forever only waits for shutdown, so that programs for socketserver work. fake_server has the same data,
    for clients of this process and for steering.
    """

    def __init__(
        self,
        server_address: tuple[str, int],
        bind_and_activate: bool = True,
        server_type: ServerType = "redis",
        server_version: Version | None = None,
    ) -> None:
        release = like(server_version, server_type)
        self.server_address = server_address
        self._options = ["--like", release] if release else []
        self._version, self._type, self._over = server_version, server_type, threading.Event()
        self._end: Any = None
        if bind_and_activate:
            self.server_activate()

    def server_bind(self) -> None:
        """Nothing: server_activate binds, too."""

    def server_activate(self) -> None:
        """Start the process. OSError if the address cannot be had."""
        address, port = self.server_address[:2]
        socket.create_server((address, port), family=socket.AF_INET6 if ":" in address else socket.AF_INET).close()
        host = Host("--bind", address or "127.0.0.1", "--port", str(port), *self._options)
        self.server_address = host.address
        self.fake_server = FakeServer(self._version, self._type)
        self.fake_server._place = Place.default(host)
        self._end = weakref.finalize(self, host.close)

    def serve_forever(self, poll_interval: float = 0.5) -> None:
        """Return after shutdown."""
        self._over.wait()

    def shutdown(self) -> None:
        """Let serve_forever return, and end the process."""
        self._over.set()
        self.server_close()

    def server_close(self) -> None:
        """End the process."""
        if self._end is not None:
            self._end()

    def __enter__(self) -> "TcpFakeServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.server_close()
