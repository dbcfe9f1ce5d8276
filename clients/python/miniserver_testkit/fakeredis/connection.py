"""Connections of redis-py that lead into the world of a FakeServer, whatever host they are told."""

import asyncio
import socket
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Sequence
from typing import Any

import redis
import redis.asyncio

from ..connection import ReplyError, encode, trusting
from ..program import patience
from .host import text
from .place import wait_for_exit
from .release import ServerType, Version, parts
from .server import FakeServer

EMULATED = "FakeRedis is emulating a connection error."
MARK = b"what was sent so far"  # of a PING that is answered after all messages that were sent before

# Where a command that blocks has its timeout, and how many milliseconds its unit is.
TIMEOUTS = dict.fromkeys(("BLPOP", "BRPOP", "BRPOPLPUSH", "BLMOVE", "BZPOPMIN", "BZPOPMAX"), (-1, 1000))
TIMEOUTS |= dict.fromkeys(("BLMPOP", "BZMPOP"), (1, 1000)) | dict.fromkeys(("WAIT", "WAITAOF"), (-1, 1))


def _name(args: tuple[Any, ...]) -> str:
    """Return the first word of a command, in capitals."""
    return text(args[0]).upper()


def timeout_of(args: tuple[Any, ...]) -> float:
    """Return for how many seconds a command blocks at most; 0 if for ever, or not at all."""
    name = _name(args)
    if name in ("XREAD", "XREADGROUP"):
        found = [i for i, word in enumerate(args) if word in ("BLOCK", "block", b"BLOCK", b"block")]
        where, unit = (found[0] + 1, 1) if found else (None, 1)
    else:
        where, unit = TIMEOUTS.get(name, (None, 1))
    try:
        return 0 if where is None else max(float(args[where]) * unit / 1000, 0)
    except (ValueError, TypeError, IndexError):
        return 0  # the server refuses the command


class FakeConnectionMixin:
    """What the connections of all clients have in common."""

    _error, _authentication_error = redis.ConnectionError, redis.AuthenticationError

    def __init__(
        self,
        *args: Any,
        server: FakeServer | None = None,
        version: Version | None = None,
        server_type: ServerType = "redis",
        lua_modules: set[str] | None = None,
        client_class: type | None = None,
        writer: Any = None,
        connected: bool = True,
        **kwargs: Any,
    ) -> None:
        """server is whose data the client sees. Without one they are those of host and port, or path, as every other client of this process sees them.

        lua_modules, client_class and writer are accepted, and have no effect.
        """
        if server is None:
            server = FakeServer.get_server(_key(kwargs, version, server_type), version, server_type)
        self._server, self._place, self._connected, self._client_id = server, server._place, connected, None
        self._patience, self._end_of_patience = None, threading.Lock()
        self._closer: weakref.finalize | None = None
        self._listens, self._ahead = False, deque()  # whether it subscribes, and messages that were read before they were asked for
        host = {name: kwargs[name] or usual for name, usual in (("host", "localhost"), ("port", 6379)) if name in kwargs}
        kwargs = {name: value for name, value in kwargs.items() if name != "path" and not name.startswith("ssl")}
        super().__init__(*args, **kwargs | host)
        self._credentials = {name: getattr(self, name, None) for name in ("username", "password", "credential_provider")}

    # Before a command

    def _check(self) -> None:
        if not (self._connected and self._server.connected):
            raise self._error(EMULATED)

    def _before_packed(self) -> None:
        self._check()
        if self._place.follows():
            self._tell(self._place.follow)

    def _before_command(self, args: tuple[Any, ...]) -> None:
        self._tell(self._place.note, args)
        self._listens = self._listens or _name(args).endswith("SUBSCRIBE")
        self._after_reply()
        seconds = timeout_of(args) if self._place.follows() else 0
        if seconds:
            self._have_patience(seconds)

    def pack_commands(self, commands: Iterable[Sequence[Any]]) -> Any:
        commands = list(commands)
        for args in commands:
            self._tell(self._place.note, args)
        return super().pack_commands(commands)

    def _after_reply(self) -> None:
        if self._patience is not None:
            with self._end_of_patience:
                self._patience.cancel()
                self._patience = None

    def _have_patience(self, seconds: float) -> None:
        """End a command that blocks when its timeout has passed by the machine's clock: the world's may stand."""
        self._patience = threading.Timer(seconds, self._unblock)
        self._patience.daemon = True
        self._patience.start()

    def _unblock(self) -> None:
        with self._end_of_patience:
            if self._patience is None:
                return
            try:
                [ended] = self._place.host.inside(self._place.name, ("CLIENT", "UNBLOCK", self._client_id or 0, "TIMEOUT"))
            except (OSError, ReplyError):
                return  # the client learns of it itself
            if not ended:
                self._have_patience(0.01)  # the command has not arrived yet, or its reply is on the way

    def _after_end(self) -> None:
        self._after_reply()
        self._listens = False
        self._ahead.clear()

    def _is_mark(self, reply: Any) -> bool:
        """Keep a message for later, unless it is the reply to PING MARK."""
        marks = MARK, MARK.decode()
        if reply in marks or (isinstance(reply, list) and len(reply) == 2 and reply[1] in marks):
            return True
        self._ahead.append(reply)
        return False

    def _tell(self, act: Any, *args: Any) -> None:
        try:
            act(*args)
        except OSError as error:
            raise self._error(self._place.why(error)) from error

    # The way into the world

    def _login(self) -> tuple[tuple[str, int], bytes]:
        """Return the address of the server, and what a new connection sends first: HELLO, which tells the number of the client, and AUTH, whose
        reply is known to be the last line. No fault strikes them."""
        self._check()
        try:
            host = self._place.host
        except OSError as error:
            raise self._error(self._place.why(error)) from None
        mine = self._credentials["password"]
        ignored = not self._place.guarded
        self.username, self.password, self.credential_provider = (None if ignored else value for value in self._credentials.values())
        if self._place.guarded and host.password and mine is None:
            raise self._authentication_error("Authentication required.")
        login = "AUTH", "world", host.password_of(self._place.name)
        return host.address, encode(("HELLO", 2, *login)) + encode(login)

    def _own(self, sock: socket.socket) -> None:
        """Close a socket with this connection. The garbage collector alone would warn of it, if it finds the socket first."""
        if self._closer is not None:
            self._closer()
        self._closer = weakref.finalize(self, sock.close)

    def _logged_in(self, lines: list[bytes]) -> None:
        """Take the lines of the replies to what _login returned, of which the last is an error or that to AUTH."""
        if not lines[-1].startswith(b"+OK"):
            raise self._authentication_error(lines[-1][1:].strip().decode())
        self._client_id = int(lines[lines.index(b"id\r\n") + 1][1:])


def _key(kwargs: dict[str, Any], version: Version | None, server_type: ServerType) -> str:
    place = kwargs.get("path") or f"{kwargs.get('host')}:{kwargs.get('port')}"
    return f"{place}:{server_type}:v{parts(7 if version is None else version)[0]}"


class FakeSyncMixin(FakeConnectionMixin):
    """A connection for threads."""

    def activate_maint_notifications_handling_if_enabled(self, *args: Any, **kwargs: Any) -> None:
        """No server of this kind is ever maintained."""

    def _connect(self) -> socket.socket:
        address, login = self._login()
        try:
            sock = socket.create_connection(address, patience())  # the user's timeouts are for a server that may be far
            if self._place.host.is_secure:
                sock = trusting().wrap_socket(sock)
            self._own(sock)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.sendall(login)
            with sock.makefile("rb") as replies:
                lines = [_some(replies.readline())]
                while not _is_status(lines[-1]):
                    lines.append(_some(replies.readline()))
            self._logged_in(lines)
            sock.settimeout(self.socket_timeout)
            return sock
        except OSError as error:
            raise self._error(self._place.why(error)) from error

    def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        self._before_packed()
        super().send_packed_command(command, check_health=check_health)

    def send_command(self, *args: Any, **kwargs: Any) -> None:
        self._before_command(args)
        super().send_command(*args, **kwargs)

    def can_read(self, timeout: float | None = 0) -> bool:
        self._check()
        if self._sock is None:
            self.connect()
        if self._listens and not self._ahead and timeout == 0:
            self._catch_up()
            return bool(self._ahead)
        return bool(self._ahead) or super().can_read(timeout)

    def _catch_up(self) -> None:
        """Read all messages that were sent to this connection so far. A look at the socket would miss those that are on their way."""
        super().send_packed_command(self.pack_command("PING", MARK), check_health=False)
        while not self._is_mark(super().read_response(push_request=True)):
            pass

    def read_response(self, *args: Any, **kwargs: Any) -> Any:
        self._check()
        if self._ahead:
            return self._ahead.popleft()
        try:
            return super().read_response(*args, **kwargs)
        except self._error:
            wait_for_exit()
            raise
        finally:
            self._after_reply()

    def disconnect(self, *args: Any, **kwargs: Any) -> None:
        self._after_end()
        super().disconnect(*args, **kwargs)


class FakeAsyncMixin(FakeConnectionMixin):
    """A connection for asyncio."""

    async def activate_maint_notifications_handling_if_enabled(self, *args: Any, **kwargs: Any) -> None:
        """No server of this kind is ever maintained."""

    async def _connect(self) -> None:
        address, login = self._login()
        try:
            reader, writer = await self._open(address)
            writer.write(login)
            await writer.drain()
            lines = [_some(await reader.readline())]
            while not _is_status(lines[-1]):
                lines.append(_some(await reader.readline()))
            self._logged_in(lines)
            self._reader, self._writer = reader, writer
        except OSError as error:
            raise self._error(self._place.why(error)) from error

    async def _open(self, address: tuple[str, int]) -> tuple[Any, Any]:
        if self._place.host.is_secure:
            return await asyncio.open_connection(*address, ssl=trusting())
        stream = await Stream.open(address)
        self._own(stream.sock)
        return stream, stream

    async def send_packed_command(self, command: Any, check_health: bool = True) -> None:
        self._before_packed()
        await super().send_packed_command(command, check_health=check_health)

    async def send_command(self, *args: Any, **kwargs: Any) -> None:
        self._before_command(args)
        await super().send_command(*args, **kwargs)

    async def can_read(self, *args: Any, **kwargs: Any) -> bool:
        self._check()
        return await super().can_read(*args, **kwargs)

    async def _catch_up(self) -> None:
        """Read all messages that were sent to this connection so far. A look at the socket would miss those that are on their way."""
        await super().send_packed_command(self.pack_command("PING", MARK), check_health=False)
        while not self._is_mark(await super().read_response(push_request=True)):
            pass

    async def read_response(self, *args: Any, **kwargs: Any) -> Any:
        self._check()
        if self._listens and not self._ahead and kwargs.get("timeout") == 0:
            await self._catch_up()
            return self._ahead.popleft() if self._ahead else None
        if self._ahead:
            return self._ahead.popleft()
        try:
            return await super().read_response(*args, **kwargs)
        finally:
            self._after_reply()

    async def disconnect(self, *args: Any, **kwargs: Any) -> None:
        self._after_end()
        await super().disconnect(*args, **kwargs)

    def __del__(self) -> None:
        if getattr(self, "_writer", None) is not None:
            self._writer.close()
            self._reader = self._writer = None


class Stream:
    """A socket, with those methods of asyncio's readers and writers that redis-py uses. No event loop owns it: a client may be used in one
    after another, and be closed in none."""

    def __init__(self, sock: socket.socket) -> None:
        self.sock, self._received, self._to_send, self._ended = sock, bytearray(), bytearray(), False

    @classmethod
    async def open(cls, address: tuple[str, int]) -> "Stream":
        sock = socket.socket(socket.AF_INET6 if ":" in address[0] else socket.AF_INET)
        sock.setblocking(False)
        try:
            await asyncio.get_running_loop().sock_connect(sock, address)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        except BaseException:
            sock.close()
            raise
        return cls(sock)

    async def read(self, size: int) -> bytes:
        if not self._received:
            await self._receive()
        return self._take(size)

    async def readexactly(self, size: int) -> bytes:
        while len(self._received) < size:
            if not await self._receive():
                raise asyncio.IncompleteReadError(self._take(size), size)
        return self._take(size)

    async def readline(self) -> bytes:
        seen = 0
        while (end := self._received.find(b"\n", seen)) < 0:
            seen = len(self._received)
            if not await self._receive():
                return self._take(seen)
        return self._take(end + 1)

    def at_eof(self) -> bool:
        return not self._buffer and self._ended

    @property
    def _buffer(self) -> bytearray:
        """What has been received, by which redis-py sees whether a reply is there."""
        while not self._ended:
            try:
                self._add(self.sock.recv(65536))
            except BlockingIOError:
                break
            except OSError:
                self._ended = True
        return self._received

    async def _receive(self) -> bool:
        return self._add(await asyncio.get_running_loop().sock_recv(self.sock, 65536))

    def _add(self, data: bytes) -> bool:
        self._received += data
        self._ended = not data
        return bool(data)

    def _take(self, size: int) -> bytes:
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def write(self, data: bytes) -> None:
        self._to_send += data

    def writelines(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            self._to_send += line

    async def drain(self) -> None:
        data, self._to_send = self._to_send, bytearray()
        await asyncio.get_running_loop().sock_sendall(self.sock, data)

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self.sock.getpeername() if name == "peername" else default

    def is_closing(self) -> bool:
        return self.sock.fileno() < 0

    def close(self) -> None:
        self.sock.close()

    async def wait_closed(self) -> None:
        pass


def _some(data: bytes) -> bytes:
    if not data:
        raise ConnectionResetError("the server has closed the connection")
    return data


def _is_status(line: bytes) -> bool:
    return line[:1] in (b"+", b"-")


class FakeRedisConnection(FakeSyncMixin, redis.Connection):
    """A connection of redis-py."""


class FakeAsyncRedisConnection(FakeAsyncMixin, redis.asyncio.Connection):
    """A connection of redis-py for asyncio."""


FakeConnection, FakeAsyncConnection = FakeRedisConnection, FakeAsyncRedisConnection
