"""The same functions with the original fakeredis and with ours: what is particular to fakeredis, and not to Redis."""

import asyncio
import importlib
import socket
import threading
import uuid

import pytest
import redis
import redis.asyncio


@pytest.fixture(params=["fakeredis", "miniserver_testkit.fakeredis"], ids=["original", "ours"])
def fakeredis(request):
    return importlib.import_module(request.param)


EMULATED = "FakeRedis is emulating a connection error."


# Who sees whose data


def test_a_client_has_data_of_its_own(fakeredis):
    one, other = fakeredis.FakeRedis(), fakeredis.FakeStrictRedis()
    one.set("k", "v")
    assert other.get("k") is None


def test_clients_of_a_server_share_its_data(fakeredis):
    server = fakeredis.FakeServer()
    one, other = fakeredis.FakeStrictRedis(server=server), fakeredis.FakeRedis(server=server, decode_responses=True)
    one.set("k", "v")
    assert other.get("k") == "v"
    assert fakeredis.FakeRedis(server=server, db=1).get("k") is None


@pytest.mark.parametrize(
    "parameters, others, share",
    [
        ({"host": "a"}, {"host": "a"}, True),
        ({"host": "a", "port": 6379}, {"host": "a"}, True),
        ({"host": "a", "port": 6380}, {"host": "a"}, False),
        ({"host": "a"}, {"host": "b"}, False),
        ({"port": 6379}, {"port": 6379}, False),
        ({"host": "a"}, {"host": "a", "version": 6}, False),
        ({"host": "a", "version": (7, 0)}, {"host": "a", "version": (7, 0)}, True),
        ({"host": "a"}, {"host": "a", "server_type": "valkey"}, False),
        ({"unix_socket_path": "/tmp/a"}, {"unix_socket_path": "/tmp/a"}, False),
    ],
)
def test_clients_of_a_host_share_data(fakeredis, parameters, others, share):
    if "host" in parameters:
        unique = uuid.uuid4().hex
        parameters, others = ({**p, "host": unique + p["host"]} for p in (parameters, others))
    one, other = fakeredis.FakeRedis(**parameters), fakeredis.FakeRedis(**others)
    one.set("k", "v")
    assert other.get("k") == (b"v" if share else None)


@pytest.mark.parametrize(
    "one, other, share",
    [
        ("redis://{}a:6379/0", "redis://{}a:6379/0", True),
        ("redis://{}a:6379/0", "redis://{}a:6379/1", False),
        ("redis://{}a:6379/0", "redis://{}a/0", False),
        ("redis://{}a/0", "redis://{}a/0", True),
        ("redis://{}a/0", "redis://{}b/0", False),
        ("rediss://{}a:1/0", "redis://{}a:1/0", True),
        ("unix:///{}a.sock", "unix:///{}a.sock", True),
        ("unix:///{}a.sock", "unix:///{}b.sock", False),
        ("redis://{}a/0?decode_responses=True", "redis://{}a/0", True),
    ],
)
def test_clients_of_a_url_share_data(fakeredis, one, other, share):
    unique = uuid.uuid4().hex
    fakeredis.FakeRedis.from_url(one.format(unique)).set("k", "v")
    assert fakeredis.FakeStrictRedis.from_url(other.format(unique)).get("k") == (b"v" if share else None)


def test_a_url_and_a_host_share_data(fakeredis):
    fakeredis.FakeRedis.from_url("redis://shared:6379/0").set("k", "v")
    assert fakeredis.FakeRedis(host="shared", port=6379).get("k") == b"v"
    assert fakeredis.FakeRedis("shared", 6379).get("k") == b"v"
    assert fakeredis.FakeRedis.from_url("redis://shared:6379", server=fakeredis.FakeServer()).get("k") is None


async def test_threads_and_asyncio_share_data(fakeredis):
    server = fakeredis.FakeServer()
    await fakeredis.FakeAsyncRedis(server=server).set("k", "v")
    assert fakeredis.FakeRedis(server=server).get("k") == b"v"
    await fakeredis.FakeAsyncRedis(host="both", port=1).set("k", "v")
    assert fakeredis.FakeRedis(host="both", port=1).get("k") == b"v"
    assert await fakeredis.FakeAsyncRedis().get("k") is None


# Pools


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("pool_class", [redis.ConnectionPool, redis.BlockingConnectionPool])
@pytest.mark.parametrize("name", ["FakeConnection", "FakeRedisConnection"])
def test_a_pool(fakeredis, pool_class, name):
    server = fakeredis.FakeServer()
    pool = pool_class(connection_class=getattr(fakeredis, name), server=server, decode_responses=True)
    redis.Redis(connection_pool=pool).set("k", "v")
    assert fakeredis.FakeRedis(connection_pool=pool).get("k") == "v"
    assert fakeredis.FakeRedis(server=server).get("k") == b"v"
    pool.disconnect()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_pools_without_a_server_share_data(fakeredis):
    def client():
        return redis.Redis(connection_pool=redis.ConnectionPool(connection_class=fakeredis.FakeConnection))

    client().set("pooled", "v")
    assert client().get("pooled") == b"v"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
async def test_a_pool_for_asyncio(fakeredis):
    server = fakeredis.FakeServer()
    pool = redis.asyncio.ConnectionPool(connection_class=fakeredis.FakeAsyncConnection, server=server)
    await redis.asyncio.Redis(connection_pool=pool).set("k", "v")
    assert await fakeredis.FakeAsyncRedis(connection_pool=pool).get("k") == b"v"
    await pool.disconnect()


def test_classes(fakeredis):
    client = fakeredis.FakeRedis(connection_pool_class=redis.BlockingConnectionPool, max_connections=2)
    assert isinstance(client, redis.Redis) and not isinstance(fakeredis.FakeStrictRedis(), fakeredis.FakeRedis)
    assert isinstance(client.connection_pool, redis.BlockingConnectionPool) and client.connection_pool.max_connections == 2
    assert issubclass(client.connection_pool.connection_class, redis.Connection)
    assert client.ping()
    assert fakeredis.aioredis.FakeRedis is fakeredis.FakeAsyncRedis and issubclass(fakeredis.FakeAsyncRedis, redis.asyncio.Redis)


def test_parameters_of_redis_py(fakeredis):
    client = fakeredis.FakeRedis(client_name="me", single_connection_client=True, health_check_interval=1, ssl=True, protocol=3)
    assert client.hgetall("k") == {}
    assert client.client_getname() in (b"me", "me")
    assert fakeredis.FakeRedis(lua_modules={"cjson"}).eval("return 1", 0) == 1


# No connection


def test_a_server_that_is_not_connected(fakeredis):
    server = fakeredis.FakeServer()
    client = fakeredis.FakeRedis(server=server)
    client.set("k", "v")
    server.connected = False
    for act in (lambda: client.get("k"), client.ping, lambda: client.pipeline().get("k").execute(), lambda: client.pubsub().subscribe("c")):
        with pytest.raises(redis.ConnectionError, match=EMULATED):
            act()
    assert client.pipeline().execute() == []
    server.connected = True
    assert client.get("k") == b"v"


def test_a_subscriber_that_is_not_connected(fakeredis):
    server = fakeredis.FakeServer()
    client = fakeredis.FakeRedis(server=server)
    subscriber = client.pubsub()
    subscriber.subscribe("c")
    assert subscriber.get_message()["type"] == "subscribe"
    server.connected = False
    with pytest.raises(redis.ConnectionError, match=EMULATED):
        subscriber.get_message()
    server.connected = True
    assert subscriber.get_message()["type"] == "subscribe"
    client.publish("c", "x")
    assert subscriber.get_message()["data"] == b"x"


async def test_a_server_that_is_not_connected_in_asyncio(fakeredis):
    server = fakeredis.FakeServer()
    client = fakeredis.FakeAsyncRedis(server=server)
    await client.set("k", "v")
    server.connected = False
    with pytest.raises(redis.ConnectionError, match=EMULATED):
        await client.get("k")
    server.connected = True
    assert await client.get("k") == b"v"
    lost = fakeredis.FakeAsyncRedis(connected=False)
    with pytest.raises(redis.ConnectionError, match=EMULATED):
        await lost.ping()
    assert await fakeredis.FakeAsyncRedis(server=server, connected=False).get("k") == b"v"


# Versions


@pytest.mark.parametrize("version", [(6,), 6, "6.2", (7, 2), "7.2.4", 8])
def test_versions(fakeredis, version):
    server = fakeredis.FakeServer(version=version)
    numbers = version if isinstance(version, tuple) else tuple(map(int, str(version).split(".")))
    assert server.version == numbers and server.server_type == "redis"
    client = fakeredis.FakeRedis(server=server)
    assert client.set("k", "v", ex=10) and client.getdel("k") == b"v"


def test_what_a_server_is_by_itself(fakeredis):
    server = fakeredis.FakeServer()
    assert (server.version, server.server_type, server.connected) == ((8,), "redis", True)


def test_other_servers(fakeredis):
    assert fakeredis.FakeRedis(server_type="dragonfly").execute_command("SADDEX", "k", 10, "member") == 1
    assert fakeredis.FakeRedis(server_type="kividb").ping()
    with pytest.raises(ValueError, match="Unsupported server type: keydb"):
        fakeredis.FakeRedis(server_type="keydb").ping()


def test_valkey(fakeredis):
    valkey = pytest.importorskip("valkey")
    client = fakeredis.FakeValkey(decode_responses=True)
    assert isinstance(client, valkey.Valkey) and client.set("k", "v") and client.get("k") == "v"
    server = fakeredis.FakeServer(server_type="valkey")
    fakeredis.FakeStrictValkey(server=server).set("k", "v")
    assert asyncio.run(fakeredis.FakeAsyncValkey(server=server).get("k")) == b"v"
    server.connected = False
    with pytest.raises(valkey.ConnectionError, match=EMULATED):
        fakeredis.FakeValkey(server=server).get("k")


# Publish and subscribe: a message is there at once, although it comes over a socket


@pytest.mark.parametrize("options", [{}, {"protocol": 3}, {"decode_responses": True}])
def test_messages(fakeredis, options):
    client = fakeredis.FakeRedis(**options)
    subscriber = client.pubsub()
    handled = []
    subscriber.subscribe("news")
    subscriber.psubscribe(**{"n*": handled.append})
    assert [subscriber.get_message()["type"] for _ in range(2)] == ["subscribe", "psubscribe"]
    assert subscriber.get_message() is None
    assert [client.publish("news", n) for n in range(20)] == [2] * 20
    messages = [subscriber.get_message() for _ in range(40)]
    assert [int(m["data"]) for m in messages if m] == [int(m["data"]) for m in handled] == list(range(20))
    assert subscriber.get_message() is None
    subscriber.unsubscribe()
    subscriber.punsubscribe()
    assert [subscriber.get_message()["type"] for _ in range(2)] == ["unsubscribe", "punsubscribe"]
    subscriber.close()


@pytest.mark.parametrize("options", [{}, {"protocol": 3}])
async def test_messages_in_asyncio(fakeredis, options):
    client = fakeredis.FakeAsyncRedis(**options)
    subscriber = client.pubsub(ignore_subscribe_messages=True)
    await subscriber.subscribe("news")
    assert await subscriber.get_message() is None
    for n in range(20):
        await client.publish("news", n)
    assert [int((await subscriber.get_message())["data"]) for n in range(20)] == list(range(20))
    assert await subscriber.get_message() is None
    await subscriber.aclose()


def test_a_subscriber_in_a_thread(fakeredis):
    client = fakeredis.FakeRedis()
    came, messages = threading.Event(), []
    subscriber = client.pubsub(ignore_subscribe_messages=True)
    subscriber.subscribe(news=lambda message: (messages.append(message["data"]), came.set()))
    thread = subscriber.run_in_thread(sleep_time=0.01, daemon=True)
    client.publish("news", "x")
    assert came.wait(60) and messages == [b"x"]
    thread.stop()
    thread.join()


# Scripts, transactions, commands that block


def test_scripts(fakeredis):
    client = fakeredis.FakeRedis()
    script = client.register_script("redis.call('INCRBY', KEYS[1], ARGV[1]); return {redis.call('GET', KEYS[1]), cjson.encode({1})}")
    assert script(keys=["k"], args=[3]) == [b"3", b"[1]"]
    assert client.evalsha(script.sha, 1, "k", 4) == [b"7", b"[1]"]
    with pytest.raises(redis.exceptions.NoScriptError):
        client.evalsha("0" * 40, 0)
    with pytest.raises(redis.ResponseError, match="my own"):
        client.eval("return redis.error_reply('my own')", 0)


def test_a_lock(fakeredis):
    client = fakeredis.FakeRedis()
    with client.lock("door", timeout=10):
        assert not client.lock("door", blocking=False).acquire()
    assert client.lock("door", blocking=False).acquire()


def test_transactions(fakeredis):
    client = fakeredis.FakeRedis()
    with client.pipeline() as pipe:
        pipe.watch("k")
        client.set("k", "other")
        pipe.multi()
        pipe.set("k", "mine")
        with pytest.raises(redis.WatchError):
            pipe.execute()
    assert client.transaction(lambda pipe: pipe.multi() or pipe.incr("n"), "n") == [1]


def test_errors(fakeredis):
    client = fakeredis.FakeRedis()
    client.set("k", "v")
    with pytest.raises(redis.ResponseError, match="WRONGTYPE Operation against a key holding the wrong kind of value"):
        client.lpush("k", "x")
    with pytest.raises(redis.ResponseError, match="value is not an integer or out of range"):
        client.incr("k")
    with pytest.raises(redis.ResponseError, match="unknown command"):
        client.execute_command("NOSUCH")
    with pytest.raises(redis.ResponseError, match="DB index is out of range"):
        fakeredis.FakeRedis(db=16).ping()
    with pytest.raises(redis.DataError):
        client.set("k", {})


def test_a_command_that_blocks(fakeredis):
    server = fakeredis.FakeServer()
    replies = []
    worker = threading.Thread(target=lambda: replies.append(fakeredis.FakeRedis(server=server).blpop("jobs", 60)))
    worker.start()
    fakeredis.FakeRedis(server=server).rpush("jobs", "mail")
    worker.join()
    assert replies in ([(b"jobs", b"mail")], [[b"jobs", b"mail"]])
    assert fakeredis.FakeRedis(server=server).blpop("jobs", 0.1) is None


async def test_a_command_that_blocks_in_asyncio(fakeredis):
    client = fakeredis.FakeAsyncRedis()
    worker = asyncio.create_task(client.blpop("jobs", 60))
    await asyncio.sleep(0)
    await client.rpush("jobs", "mail")
    assert list(await worker) == [b"jobs", b"mail"]
    assert await client.blpop("jobs", 0.1) is None


def test_one_client_in_several_event_loops(fakeredis):
    client = fakeredis.FakeAsyncRedis()
    assert [asyncio.run(client.incr("n")) for _ in range(3)] == [1, 2, 3]


# The fixtures of its documentation


@pytest.fixture
def redis_client(fakeredis):
    return fakeredis.FakeRedis()


@pytest.fixture
async def async_redis_client(fakeredis):
    async with fakeredis.FakeAsyncRedis() as client:
        yield client


@pytest.mark.parametrize("turn", [1, 2])
async def test_fixtures(redis_client, async_redis_client, turn):
    assert redis_client.incr("turn") == 1
    assert await async_redis_client.incr("turn") == 1


# A server at an address


def test_a_server_at_an_address(fakeredis):
    server = fakeredis.TcpFakeServer(("127.0.0.1", 0), server_type="redis", server_version=(7, 4))
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    host, port = server.server_address
    with redis.Redis(host=host, port=port) as client, redis.Redis(host=host, port=port, protocol=3) as other:
        client.set("k", "v")
        assert other.get("k") == b"v"
        if hasattr(server, "fake_server"):
            assert fakeredis.FakeRedis(server=server.fake_server).get("k") == b"v"
    server.shutdown()
    server.server_close()
    thread.join()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, port))


def test_an_address_that_is_taken(fakeredis):
    server = fakeredis.TcpFakeServer(("127.0.0.1", 0))
    with pytest.raises(OSError, match="in use"):
        fakeredis.TcpFakeServer(server.server_address)
    server.server_close()
