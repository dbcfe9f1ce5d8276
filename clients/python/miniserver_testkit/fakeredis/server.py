"""FakeServer: what clients share that share data."""

import os
import threading

from ..world import World
from .host import text
from .place import Place
from .release import ServerType, Version, like, parts


class FakeServer:
    """Data of its own: a world of a miniserver, which all servers of this process with the same options share.

    It begins with the first command, and ends with close, or when neither a variable nor a client holds it any more.

    version and server_type choose the release of Redis or Valkey as which it behaves. Without a version it behaves as Redis 8.6, and has the commands
    of later releases too. config has settings of a redis.conf, such as {b"maxmemory": b"10mb"}.

    While connected is False, commands of clients raise ConnectionError.

    follow_clock says whether the clock follows time.time(), which freezegun and time-machine stop and move. None: if one of these has
    been imported.
    """

    def __init__(
        self,
        version: Version | None = None,
        server_type: ServerType = "redis",
        config: dict[bytes, bytes] | None = None,
        *,
        follow_clock: bool | None = None,
    ) -> None:
        release = like(version, server_type)
        self.version, self.server_type = parts(8 if version is None else version), server_type
        self.config, self.connected = config or {}, True
        settings = {text(name): text(value) for name, value in self.config.items()}
        options = ["--like", release] if release else []
        for name, value in settings.items():
            options += f"--{name}", value
        self._place = Place(tuple(options), not settings.keys().isdisjoint({"requirepass", "aclfile"}), follow_clock)

    @staticmethod
    def get_server(key: str, version: Version | None, server_type: ServerType) -> "FakeServer":
        """Return the server that has a key, such as "localhost:6379:redis:v7"; if there is none, or its process has ended, a new one."""
        with _naming:
            server = _named.get(key)
            if server is None or server._place.is_gone:
                server = _named[key] = FakeServer(version, server_type)
            return server

    @property
    def world(self) -> World:
        """The world, by which a test moves the clock, loses replies and waits."""
        return self._place.world

    @property
    def url(self) -> str:
        """The URL by which any client connects, also one in another process."""
        return self.world.url

    def follow(self) -> None:
        """Let the clock show what time.time() returns. Clients do that before each command; one that is blocked learns of the time by this."""
        self._place.follow()

    def close(self) -> None:
        """Remove the data and end the connections."""
        self._place.close()

    def __enter__(self) -> "FakeServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_named: dict[str, FakeServer] = {}
_naming = threading.Lock()


def _after_fork() -> None:
    global _naming
    _naming = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
