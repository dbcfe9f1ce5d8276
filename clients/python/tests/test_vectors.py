"""Vector sets by redis-py, in both protocols. docs/vectors.md shows the first test."""

import struct

import pytest
import redis
import redis.asyncio
from redis.commands.vectorset.commands import QuantizationOptions


def test_films(world):
    films = redis.from_url(world.url, decode_responses=True).vset()
    films.vadd("films", [0.9, 0.1, 0], "alien", attributes={"year": 1979, "genre": "horror"})
    films.vadd("films", [0.7, 0.6, 0], "solaris", attributes={"year": 1972, "genre": "drama"})
    films.vadd("films", [0, 0.2, 0.9], "amelie", attributes={"year": 2001, "genre": "comedy"})

    near = films.vsim("films", [1, 0.2, 0], with_scores=True)
    assert list(near) == ["alien", "solaris", "amelie"]
    assert near["alien"] == pytest.approx(0.998, abs=0.001)
    assert films.vsim("films", "alien", count=2, filter='.genre in ["drama", "comedy"]') == ["solaris", "amelie"]


@pytest.fixture(params=[2, 3])
def client(world, request):
    with redis.from_url(world.url, protocol=request.param, decode_responses=True) as client:
        yield client


@pytest.fixture
def sets(client):
    sets = client.vset()
    for name, vector in ("a", [3, 4]), ("b", [4, 3]), ("c", [-4, 3]):
        assert sets.vadd("k", vector, name, cas=True, quantization=QuantizationOptions.NOQUANT, ef=100, numlinks=8) == 1
    return sets


def raises(error):
    return pytest.raises(redis.ResponseError, match=f"^{error}$")


def test_add_and_remove(sets):
    assert sets.vadd("k", [3, 4], "a", quantization=QuantizationOptions.NOQUANT, numlinks=8) == 0
    assert sets.vadd("blobs", struct.pack("<2f", 1, 0), "one") == 1
    assert sets.vadd("reduced", [1, 2, 3], "r", reduce_dim=2) == 1
    assert sets.vdim("reduced") == 2
    with raises("asked quantization mismatch with existing vector set"):
        sets.vadd("k", [1, 2], "d")
    assert sets.vrem("k", "c") == 1
    assert sets.vrem("k", "c") == 0
    assert sets.vcard("k") == 2


def test_read(client, sets):
    assert client.type("k") == "vectorset"
    assert sets.vcard("k") == 3
    assert sets.vdim("k") == 2
    with raises("key does not exist"):
        sets.vdim("none")
    assert sets.vemb("k", "a") == pytest.approx([3, 4], rel=1e-6)
    raw = sets.vemb("k", "a", raw=True)
    assert raw["quantization"] == "f32"
    assert raw["l2"] == 5
    assert sets.vemb("k", "z") is None
    info = sets.vinfo("k")
    assert (info["quant-type"], info["vector-dim"], info["hnsw-m"], info["size"]) == ("f32", 2, 8, 3)
    assert sets.vinfo("none") is None
    assert sorted(sets.vlinks("k", "a")[0]) == ["b", "c"]
    assert sets.vlinks("k", "a", with_scores=True)[0]["b"] == pytest.approx(0.98)
    assert sets.vrandmember("k") in ["a", "b", "c"]
    assert sorted(sets.vrandmember("k", 5)) == ["a", "b", "c"]


def test_attributes(sets):
    assert sets.vsetattr("k", "b", {"n": 2}) == 1
    assert sets.vgetattr("k", "b") == {"n": 2}
    assert sets.vsim("k", [3, 4], filter=".n == 2", filter_ef=10) == ["b"]
    assert sets.vsetattr("k", "b", "") == 1
    assert sets.vgetattr("k", "b") is None
    assert sets.vsetattr("k", "z", {"n": 2}) == 0


def test_search(sets):
    assert sets.vsim("k", [3, 4]) == ["a", "b", "c"]
    near = sets.vsim("k", "a", with_scores=True, count=2, ef=50, truth=True, no_thread=True)
    assert near == pytest.approx({"a": 1, "b": 0.98})
    assert sets.vsim("none", [3, 4]) == []
    with raises("element not found in set"):
        sets.vsim("k", "z")


async def test_asyncio(world):
    async with redis.asyncio.from_url(world.url, decode_responses=True) as client:
        assert await client.vset().vadd("k", [1, 2], "a") == 1
        assert await client.vset().vsim("k", [1, 2]) == ["a"]
