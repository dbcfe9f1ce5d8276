"""JSON by redis-py, in both protocols. docs/json.md shows one of the tests as it is."""

import pytest
import redis
import redis.asyncio
from miniserver_testkit import Server, fakeredis
from redis.cache import CacheConfig
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException

SHOES = {
    "name": "shoes",
    "price": 80.5,
    "stock": 3,
    "sold": False,
    "sizes": [40, 41, 42],
    "maker": {"name": "Ada", "since": None},
}


@pytest.fixture(params=[2, 3])
def protocol(request):
    return request.param


@pytest.fixture
def client(world, protocol):
    with redis.from_url(world.url, protocol=protocol, decode_responses=True) as client:
        yield client


@pytest.fixture
def goods(client):
    goods = client.json()
    assert goods.set("shoes", "$", SHOES) is True
    return goods


def test_a_cart(world):
    client = redis.from_url(world.url, decode_responses=True)
    carts = client.json()
    carts.set("cart:7", "$", {"user": "alice", "items": [{"name": "shoes", "count": 1, "price": 80}]})
    client.expire("cart:7", 3600)

    carts.arrappend("cart:7", "$.items", {"name": "hat", "count": 2, "price": 12.5})
    carts.numincrby("cart:7", '$.items[?(@.name=="shoes")].count', 1)
    carts.merge("cart:7", "$", {"coupon": "SPRING", "user": None})  # None takes the member away
    assert carts.get("cart:7", "$.items[?(@.price<50)].name") == ["hat"]
    assert carts.get("cart:7", ".items[0].count") == 2
    assert carts.objkeys("cart:7", ".") == ["coupon", "items"]

    world.clock.advance(hours=1)
    assert carts.get("cart:7") is None


def test_get(goods):
    assert goods.get("shoes") == SHOES
    assert goods.get("shoes", "$") == [SHOES]
    assert goods.get("shoes", "$.price") == [80.5]
    assert goods.get("shoes", ".price") == goods.get("shoes", "price") == 80.5
    assert goods.get("shoes", "$..name") == ["shoes", "Ada"]
    assert goods.get("shoes", "$.name", "$.stock") == {"$.name": ["shoes"], "$.stock": [3]}
    assert goods.get("shoes", ".name", ".stock") == {".name": "shoes", ".stock": 3}
    assert goods.get("shoes", "$.none") == []
    assert goods.get("none") is goods.get("none", "$") is None


def test_set(goods):
    assert goods.set("shoes", "$", {}, nx=True) is None
    assert goods.set("none", "$", {}, xx=True) is None
    assert goods.set("shoes", "$.none.name", 1) is None
    assert goods.set("shoes", "$.colour", "red", nx=True) is True
    assert goods.set("shoes", ".sizes[-1]", [42.5], xx=True) is True
    assert goods.get("shoes") == SHOES | {"sizes": [40, 41, [42.5]], "colour": "red"}


def test_all_that_json_can_say(goods):
    numbers = {"i": 2**63 - 1, "u": 2**64 - 1, "f": 1e300}
    hard = {"numbers": numbers, "s": '\0"\\\n é😀', "": {}, "deep": [[[[]]]], "b": [True, False, None]}
    goods.set("hard", "$", hard)
    assert goods.get("hard") == hard
    for scalar in ("text", 17, -0.5, True, None, []):
        goods.set("scalar", "$", scalar)
        assert goods.get("scalar", "$") == [scalar]


def test_several_keys(goods):
    assert goods.mset([("hat", "$", {"stock": 5}), ("sock", "$", {"stock": 7})]) is True
    assert goods.mget(["hat", "none", "sock"], "$.stock") == [[5], None, [7]]
    assert goods.mget(["hat", "none", "sock"], ".stock") == [5, None, 7]


def test_merge(goods):
    assert goods.merge("shoes", "$", {"maker": {"since": 1843, "name": None}, "sizes": None}) is True
    assert goods.get("shoes", "$.maker") == [{"since": 1843}]
    assert goods.get("shoes", "$.sizes") == []
    assert goods.merge("new", "$", {"kept": None}) is True
    assert goods.get("new") == {"kept": None}


@pytest.mark.filterwarnings("ignore:Call to deprecated nummultby")
def test_numbers(goods, protocol):
    assert goods.numincrby("shoes", "$.stock", 2) == [5]
    assert goods.numincrby("shoes", "$.price", 0.25) == [80.75]
    assert goods.numincrby("shoes", "$..name", 1) == [None, None]
    assert goods.numincrby("shoes", "$.sizes[*]", 1) == [41, 42, 43]
    # In RESP3 the reply to a legacy path is an array, too.
    assert goods.numincrby("shoes", ".stock", 2) == (7 if protocol == 2 else [7])
    assert goods.nummultby("shoes", ".stock", 1.5) == (10.5 if protocol == 2 else [10.5])


def test_arrays(goods):
    assert goods.arrappend("shoes", "$.sizes", 43, "44") == [5]
    assert goods.arrappend("shoes", ".sizes", 45) == 6
    assert goods.arrappend("shoes", "$.name", 1) == [None]
    assert goods.arrindex("shoes", "$.sizes", 42) == [2]
    assert goods.arrindex("shoes", ".sizes", 99) == -1
    assert goods.arrinsert("shoes", "$.sizes", 0, 39) == [7]
    assert goods.arrlen("shoes", "$.*") == [None, None, None, None, 7, None]
    assert goods.arrpop("shoes", ".sizes") == 45
    assert goods.arrpop("shoes", "$.sizes") == ['"44"']
    assert goods.arrpop("shoes", ".sizes", 0) == 39
    assert goods.arrtrim("shoes", "$.sizes", 1, 2) == [2]
    assert goods.get("shoes", ".sizes") == [41, 42]


def test_objects_and_strings(goods):
    assert goods.objkeys("shoes", "$.maker") == [["name", "since"]]
    assert goods.objkeys("shoes", ".maker") == ["name", "since"]
    assert goods.objlen("shoes", "$.*") == [None, None, None, None, None, 2]
    assert goods.strlen("shoes", ".name") == 5
    assert goods.strappend("shoes", ", red", "$.name") == [10]
    assert goods.strlen("shoes", "$..name") == [10, 3]
    assert goods.toggle("shoes", "$.sold") == [1]
    assert goods.toggle("shoes", ".sold") is False
    assert goods.toggle("shoes", "$.name") == [None]


def test_types(client, goods, protocol):
    kinds = ["string", "number", "integer", "boolean", "array", "object"]
    assert goods.type("shoes", "$.*") == (kinds if protocol == 2 else [kinds])
    assert goods.type("shoes", ".maker.since") == ("null" if protocol == 2 else ["null"])
    assert goods.type("none", "$") == (None if protocol == 2 else [None])
    assert client.type("shoes") == "ReJSON-RL"


def test_delete(client, goods):
    assert goods.clear("shoes", "$.sizes") == 1
    assert goods.clear("shoes", "$.stock") == 1
    assert goods.delete("shoes", "$..name") == 2
    assert goods.delete("shoes", ".none") == 0
    assert goods.forget("shoes", "$.price") == 1
    assert goods.get("shoes") == {"stock": 0, "sold": False, "sizes": [], "maker": {"since": None}}
    assert goods.delete("shoes") == 1
    assert goods.delete("shoes") == 0
    assert client.exists("shoes") == 0


@pytest.mark.parametrize(
    "words, error",
    [
        (("JSON.GET", "shoes", ".none"), r"^Path '\$\.none' does not exist$"),
        (("JSON.GET", "shoes", "$["), "^Error occurred on position 2"),
        (("JSON.GET", "text"), "^Existing key has wrong Redis type$"),
        (("JSON.SET", "text", "$", "1"), "^Existing key has wrong Redis type$"),
        (("JSON.SET", "none", "$.a", "1"), "^new objects must be created at the root$"),
        (("JSON.SET", "shoes", "$", "{"), "^EOF while parsing an object at line 1 column 1$"),
        (("JSON.NUMINCRBY", "none", "$", "1"), "^could not perform this operation on a key that doesn't exist$"),
        (("JSON.ARRINSERT", "shoes", "$.sizes", "9", "1"), "^index out of bounds$"),
        (("GET", "shoes"), "^WRONGTYPE "),
    ],
)
def test_errors(client, goods, words, error):
    client.set("text", "x")
    with pytest.raises(redis.ResponseError, match=error):
        client.execute_command(*words)
    assert goods.get("shoes") == SHOES


@pytest.mark.parametrize("transaction", [False, True])
def test_pipelines(client, transaction):
    pipeline = client.json().pipeline(transaction=transaction)
    pipeline.set("k", "$", {"a": 1}).get("k", "$.a").get("k", ".none").numincrby("k", "$.a", 1).delete("k")
    *replies, deleted = pipeline.execute(raise_on_error=False)
    assert deleted == 1
    assert replies[:2] == [True, [1]] and replies[3] == [2]
    assert isinstance(replies[2], redis.ResponseError)


def test_client_side_caching(world, goods):
    with redis.from_url(world.url, protocol=3, cache_config=CacheConfig()) as cached:
        assert cached.json().get("shoes", "$.stock") == [3]
        assert len(cached.get_cache().collection) == 1
        goods.numincrby("shoes", "$.stock", 1)
        assert cached.json().get("shoes", "$.stock") == [4]
        goods.delete("shoes")
        assert cached.json().get("shoes", "$.stock") is None


def test_a_cluster(protocol):
    with Server("--cluster-enabled", "yes") as server:
        with RedisCluster(host=server.host, port=server.port, protocol=protocol) as cluster:
            goods = cluster.json()
            assert goods.set("shoes", "$", SHOES) is True
            assert goods.mset([("{s}1", "$", 1), ("{s}2", "$", 2)]) is True
            assert goods.mget(["{s}1", "{s}2"], "$") == [[1], [2]]
            assert goods.arrlen("shoes", "$.sizes") == [3]
            with pytest.raises(RedisClusterException, match="same key slot"):
                goods.mget(["shoes", "{s}1"], "$")


def test_a_large_document(goods):
    large = [{"id": i, "name": "x" * 50, "share": i / 7} for i in range(20_000)]
    goods.set("large", "$", large)
    assert goods.get("large") == large
    assert goods.arrpop("large", ".", 7) == large.pop(7)
    assert goods.arrtrim("large", "$", 10_000, -1) == [9_999]
    assert goods.get("large") == large[10_000:]


async def test_asyncio(world, protocol):
    async with redis.asyncio.from_url(world.url, protocol=protocol) as client:
        goods = client.json()
        await goods.set("shoes", "$", SHOES)
        assert await goods.numincrby("shoes", "$.stock", 1) == [4]
        assert await goods.get("shoes", "$.maker.name") == ["Ada"]
        assert await goods.get("none") is None


def test_fakeredis():
    goods = fakeredis.FakeRedis().json()
    goods.set("shoes", "$", SHOES)
    assert goods.get("shoes", "$..name") == ["shoes", "Ada"]


async def test_fakeredis_with_asyncio():
    goods = fakeredis.FakeAsyncRedis().json()
    await goods.set("shoes", "$", SHOES)
    assert await goods.get("shoes") == SHOES


def test_releases_of_fakeredis():
    with pytest.raises(redis.ResponseError, match="^unknown command 'JSON.SET'"):
        fakeredis.FakeRedis(version=(7, 4)).json().set("shoes", "$", SHOES)
    goods = fakeredis.FakeRedis(version=(8,)).json()
    assert goods.set("shoes", "$", SHOES) is True
