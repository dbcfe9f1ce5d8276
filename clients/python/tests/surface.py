"""What the original fakeredis has by name, and whether ours has it: the table of docs/start/fakeredis.md.

    python clients/python/tests/surface.py     # writes the table

Names are found in the installed original by looking at it: its modules, what they export, the parameters of constructors, and public
attributes that redis-py's classes and Python's do not have.
"""

import importlib
import inspect
import pkgutil
import socketserver
import warnings
from pathlib import Path

import fakeredis as original
import redis
import redis.asyncio
from miniserver_testkit import fakeredis as ours

PAGE = Path(__file__).parents[3] / "docs" / "start" / "fakeredis.md"
BEGIN, END = "<!-- surface: python clients/python/tests/surface.py -->", "<!-- end -->"

RELEASE = "`None` is a server like Redis 8.6 with the commands of later releases; a version is the release of `like` next to it"
PROCESS = "the data are in another process"
NOTHING = "accepted, without effect"

DIFFERS = {
    "FakeRedis(version=)": RELEASE,
    "FakeStrictRedis(version=)": RELEASE,
    "FakeAsyncRedis(version=)": RELEASE,
    "FakeRedisConnection(version=)": RELEASE,
    "FakeAsyncRedisConnection(version=)": RELEASE,
    "FakeServer(version=)": RELEASE,
    "TcpFakeServer(server_version=)": RELEASE,
    "FakeServer(config=)": "any setting of the server; a server with settings has a process of its own",
    "FakeServer.version": "what was given; without that `(8,)`",
    "FakeConnection": "a class, the same as `FakeRedisConnection`, without a warning",
    "FakeAsyncConnection": "a class, the same as `FakeAsyncRedisConnection`, without a warning",
    "aioredis.FakeAsyncConnection": "as `FakeAsyncConnection`",
    "aioredis.FakeConnection": "as `FakeAsyncConnection`",
    "TcpFakeServer": "a process; no subclass of `socketserver.ThreadingTCPServer`, whose methods but these are not there",
    "TcpFakeServer.serve_forever": "waits for `shutdown`; clients are served from the start",
    "TcpFakeServer.shutdown": "also ends the process, as `server_close` does",
}
for _client in ("FakeRedis", "FakeStrictRedis", "FakeAsyncRedis"):
    DIFFERS[f"{_client}(client_class=)"] = "used to read the other parameters"
    DIFFERS[f"{_client}(lua_modules=)"] = "accepted, without effect: `cjson`, `cmsgpack`, `struct` and `bit` are always there, and no others"
    DIFFERS[f"{_client}(server_type=)"] = "`valkey` is a release of Valkey; `dragonfly` and `kividb` are miniserver as it is by itself"
    DIFFERS[f"{_client}(connection_class=)"] = DIFFERS[f"{_client}(connection_pool_class=)"] = "`None` is the usual class"
DIFFERS["FakeServer(server_type=)"] = DIFFERS["FakeServer.server_type"] = DIFFERS["TcpFakeServer(server_type=)"] = DIFFERS["FakeRedis(server_type=)"]
for _connection in ("FakeRedisConnection", "FakeAsyncRedisConnection"):
    DIFFERS[f"{_connection}(server_type=)"] = DIFFERS["FakeRedis(server_type=)"]
    DIFFERS[f"{_connection}(lua_modules=)"] = DIFFERS["FakeRedis(lua_modules=)"]
    DIFFERS[f"{_connection}(writer=)"] = DIFFERS[f"{_connection}(client_class=)"] = NOTHING

MISSING = {
    "commands_mixins": "how commands are made there; here the server has them",
    "geo": "how commands are made there; here the server has them",
    "model": "how values are stored there; here the server has them",
    "FakeRedisConnection.server_key": "a key of `FakeServer.get_server`; connections of one host share a server all the same",
    "FakeAsyncRedisConnection.server_key": "a key of `FakeServer.get_server`; connections of one host share a server all the same",
    "FakeRedisConnection.get_resolved_ip": "of redis-py since 7",
    "FakeAsyncRedisConnection.get_resolved_ip": "of redis-py since 7",
    "FakeRedisConnection.get_socket": PROCESS + ", behind a real socket",
    "aioredis.AsyncFakeSocket": "sockets are real",
    "aioredis.FakeReader": "sockets are real",
    "aioredis.FakeWriter": "sockets are real",
    "aioredis.FakeBaseAsyncConnection": "the base of one class; take `FakeAsyncRedisConnection`",
    "FakeServer.lock": "the server has no lock that a client could take",
    "FakeServer.dbs": PROCESS + "; `server.world.dump()` shows them",
    "FakeServer.acl": PROCESS + "; `acl_list()` of a client shows it",
    "FakeServer.lastsave": PROCESS + "; `lastsave()` of a client shows it",
    "FakeServer.clients": PROCESS + "; `client_list()` of a client shows them",
    "FakeServer.SCAN_CURSORS_LIMIT": "cursors are not kept",
    "FakeServer.scan_cursors": "cursors are not kept",
    "FakeServer.remember_scan_cursor": "cursors are not kept",
    "FakeServer.forget_scan_snapshot": "cursors are not kept",
    "FakeServer.get_next_client_id": "the server numbers its clients",
}
for _name in ("script_cache", "subscribers", "psubscribers", "ssubscribers", "sockets", "closed_sockets", "pause_mode", "pause_until"):
    MISSING[f"FakeServer.{_name}"] = PROCESS
for _name in ("RequestHandlerClass", "socket"):
    MISSING[f"TcpFakeServer.{_name}"] = "of `socketserver`, which is not used"
for _name in ("client_ids", "clients"):
    MISSING[f"TcpFakeServer.{_name}"] = PROCESS


def names(package):
    """Return the public names of a package, each with the default value if it is a parameter, and else None."""
    found = dict.fromkeys(package.__all__)
    modules = [module.name for module in pkgutil.iter_modules(package.__path__) if not module.name.startswith("_")]
    if package is original:
        found |= dict.fromkeys(modules)
    aioredis = importlib.import_module(package.__name__ + ".aioredis")
    found |= dict.fromkeys(f"aioredis.{name}" for name in aioredis.__all__)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name, usual in usual_objects().items():
            cls = getattr(package, name, None)
            if inspect.isclass(cls):
                found |= parameters(name, cls) | attributes(name, cls, usual)
    return found


class _Other(socketserver.ThreadingTCPServer):
    """What a server has anyway, but for the methods that its users call."""

    def __init__(self):
        pass

    def __getattribute__(self, name):
        if name in ("serve_forever", "server_activate", "server_bind", "server_close", "shutdown"):
            raise AttributeError(name)
        return super().__getattribute__(name)


def usual_objects():
    """Return what the objects of each class have anyway."""
    connection, async_connection = redis.Connection(), redis.asyncio.Connection()
    return {
        "FakeRedis": redis.Redis(), "FakeStrictRedis": redis.Redis(), "FakeAsyncRedis": redis.asyncio.Redis(),
        "FakeRedisConnection": connection, "FakeAsyncRedisConnection": async_connection,
        "FakeServer": object(), "TcpFakeServer": _Other(),
    }  # fmt: skip


def parameters(name, cls):
    parameters = inspect.signature(cls).parameters.values()
    kinds = inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD
    return {f"{name}({p.name}=)": repr(p.default) for p in parameters if p.kind not in kinds}


def attributes(name, cls, usual):
    if name == "TcpFakeServer":
        made = cls(("127.0.0.1", 0))
        made.server_close()
    else:
        made = cls()
    return {f"{name}.{attribute}": None for attribute in dir(made) if not attribute.startswith("_") and not hasattr(usual, attribute)}


def rows():
    """Return the lines of the table: a name of the original, what there is here, and why."""
    theirs, mine = names(original), names(ours)
    for name in sorted(theirs, key=lambda name: (name.lower(), name)):
        if name not in mine:
            yield name, "no", MISSING.get(name)
        elif name in DIFFERS or theirs[name] != mine[name]:
            yield name, "differs", DIFFERS.get(name)
        else:
            yield name, "yes", ""


def own():
    """Return the names that only ours has."""
    return sorted(set(names(ours)) - set(names(original)))


def table():
    groups = {}
    for name, here, why in rows():
        groups.setdefault((here, why), []).append(f"`{name}`")
    lines = [f"| {', '.join(together)} | {here} | {why} |" for (here, why), together in groups.items()]
    order = "yes", "differs", "no"
    return "\n".join(["| `fakeredis` | here | |", "|---|---|---|", *sorted(lines, key=lambda line: order.index(line.split(" | ")[1]))]) + "\n"


def write(page):
    """Return the page with the table in its place."""
    before, rest = page.split(BEGIN + "\n")
    return f"{before}{BEGIN}\n\n{table()}\n{END}{rest.partition(END)[2]}"


if __name__ == "__main__":
    PAGE.write_text(write(PAGE.read_text()))
