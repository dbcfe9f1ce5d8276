"""Clients of valkey-py. It is loaded if valkey-py is installed."""

import valkey
import valkey.asyncio

from .client import FakeAsyncRedisMixin, FakeRedisMixin
from .connection import FakeAsyncMixin, FakeSyncMixin


class _Errors:
    _error, _authentication_error = valkey.ConnectionError, valkey.AuthenticationError


class FakeValkeyConnection(_Errors, FakeSyncMixin, valkey.Connection):
    """A connection of valkey-py."""


class FakeAsyncValkeyConnection(_Errors, FakeAsyncMixin, valkey.asyncio.Connection):
    """A connection of valkey-py for asyncio."""


class _Sync(FakeRedisMixin):
    _client, _connection, _pool, _type = valkey.Valkey, FakeValkeyConnection, valkey.ConnectionPool, "valkey"


class FakeValkey(_Sync, valkey.Valkey):
    """valkey.Valkey with data in this process' miniserver, which behaves as Valkey."""


class FakeStrictValkey(_Sync, valkey.StrictValkey):
    """The same: valkey-py has one kind of client by two names."""


class FakeAsyncValkey(FakeAsyncRedisMixin, valkey.asyncio.Valkey):
    """valkey.asyncio.Valkey with data in this process' miniserver, which behaves as Valkey."""

    _client, _connection, _pool = valkey.asyncio.Valkey, FakeAsyncValkeyConnection, valkey.asyncio.ConnectionPool
    _type = "valkey"
