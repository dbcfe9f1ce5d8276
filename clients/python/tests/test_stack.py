"""Sketches and time series by redis-py, in both protocols. docs/sketches.md and docs/timeseries.md show the first two tests."""

import math

import pytest
import redis
import redis.asyncio
from miniserver_testkit import Server, fakeredis
from redis.cluster import RedisCluster
from redis.exceptions import RedisClusterException


def test_a_day_of_requests(world):
    client = redis.from_url(world.url, decode_responses=True)
    visitors, pages, times = client.bf(), client.topk(), client.tdigest()
    visitors.reserve("visitors", 0.01, 1000)
    pages.reserve("pages", 2, 50, 5, 0.9)
    times.create("times")
    visitors.madd("visitors", "alice", "bob")
    pages.add("pages", "/", "/cart", "/", "/help", "/cart", "/")
    times.add("times", [12, 14, 11, 13, 230])
    for key in "visitors", "pages", "times":
        client.expire(key, 86_400)

    assert visitors.mexists("visitors", "alice", "carol") == [1, 0]
    assert pages.list("pages", withcount=True) == ["/", 3, "/cart", 2]
    assert [float(ms) for ms in times.quantile("times", 0.5, 0.99)] == [13, 230]

    world.clock.advance(days=1)
    assert visitors.exists("visitors", "alice") == 0
    assert client.exists("pages", "times") == 0


def test_a_thermometer(world):
    client = redis.from_url(world.url, decode_responses=True)
    series = client.ts()
    series.create("temp", retention_msecs=3_600_000, labels={"room": "kitchen"})
    series.create("temp:max", labels={"room": "kitchen", "of": "max"})
    series.createrule("temp", "temp:max", "max", 60_000)
    world.clock.freeze()
    noon = world.clock.set("2030-01-31T12:00:00Z").timestamp() * 1000
    for degrees in 20, 25, 22, 21:
        series.add("temp", "*", degrees)
        world.clock.advance(seconds=30)

    means = series.range("temp", "-", "+", aggregation_type="avg", bucket_size_msec=60_000)
    assert means == [(noon, 22.5), (noon + 60_000, 21.5)]
    assert series.range("temp:max", "-", "+") == [(noon, 25)]  # the second minute is not over for the rule
    assert series.queryindex(["room=kitchen", "of="]) == ["temp"]

    world.clock.advance(hours=1)
    series.add("temp", "*", 19)
    assert len(series.range("temp", "-", "+")) == 1  # what is older than an hour is gone


@pytest.fixture(params=[2, 3])
def protocol(request):
    return request.param


@pytest.fixture
def client(world, protocol):
    with redis.from_url(world.url, protocol=protocol, decode_responses=True) as client:
        yield client


def raises(error):
    return pytest.raises(redis.ResponseError, match=f"^{error}$")


def infos(info):
    """Return what redis-py makes of the reply to an INFO: an object in RESP2, and a dictionary with the server's names in RESP3."""
    return list((info if isinstance(info, dict) else vars(info)).values())


def test_bloom_filters(client):
    filters = client.bf()
    assert filters.reserve("seen", 0.01, 100) is True
    assert filters.add("seen", "a") == 1
    assert filters.madd("seen", "a", "b") == [0, 1]
    assert filters.insert("small", ["a"], capacity=10, error=0.1, noScale=True) == [1]
    assert filters.exists("seen", "b") == 1
    assert filters.mexists("seen", "a", "z") == [1, 0]
    assert filters.card("seen") == 2
    assert infos(filters.info("seen")) == [100, 240, 1, 2, 2]
    with raises("item exists"):
        filters.reserve("seen", 0.01, 100)
    with raises("not found"):
        filters.insert("none", ["a"], noCreate=True)
    place = 0
    while (chunk := filters.scandump("seen", place))[0]:
        place, data = chunk
        filters.loadchunk("copy", place, data)
    assert filters.mexists("copy", "a", "b", "z") == [1, 1, 0]
    assert client.type("copy") == "MBbloom--"


def test_cuckoo_filters(client):
    filters = client.cf()
    assert filters.reserve("seen", 64, bucket_size=4, expansion=2, max_iterations=50) is True
    assert filters.add("seen", "a") == 1
    assert filters.addnx("seen", "a") == 0
    assert filters.insert("seen", ["a", "b"]) == [1, 1]
    assert filters.insertnx("seen", ["a", "c"]) == [0, 1]
    assert filters.insert("new", ["a"], capacity=100) == [1]
    assert filters.exists("seen", "a") == 1
    assert filters.mexists("seen", "a", "z") == [1, 0]
    assert filters.count("seen", "a") == 2
    assert filters.delete("seen", "a") == 1
    assert filters.delete("seen", "z") == 0
    assert infos(filters.info("seen")) == [120, 16, 1, 3, 1, 4, 2, 50]
    with raises("item exists"):
        filters.reserve("seen", 64)
    with raises("not found"):
        filters.insert("none", ["a"], nocreate=True)
    assert client.type("seen") == "MBbloomCF"


def test_chunks_of_cuckoo_filters(world, protocol):
    with redis.from_url(world.url, protocol=protocol) as client:  # which decodes nothing
        filters = client.cf()
        filters.insert("seen", ["a", "b"])
        place = 0
        while (chunk := filters.scandump("seen", place))[0]:
            place, data = chunk
            filters.loadchunk("copy", place, data)
        assert filters.mexists("copy", "a", "b", "z") == [1, 1, 0]


def test_count_min_sketches(client):
    counts = client.cms()
    assert counts.initbydim("hits", 100, 5) is True
    assert counts.initbyprob("more", 0.01, 0.01) is True
    assert counts.incrby("hits", ["a", "b"], [1, 2]) == [1, 2]
    assert counts.query("hits", "a", "b", "z") == [1, 2, 0]
    assert infos(counts.info("hits")) == [100, 5, 3]
    assert infos(counts.info("more")) == [200, 7, 0]
    counts.initbydim("sum", 100, 5)
    assert counts.merge("sum", 2, ["hits", "sum"], weights=[3, 1]) is True
    assert counts.query("sum", "b") == [6]
    with raises("CMS: key already exists"):
        counts.initbydim("hits", 1, 1)
    with raises("CMS: key does not exist"):
        counts.query("none", "a")


@pytest.mark.filterwarnings("ignore:Call to deprecated count")
def test_top_k(client):
    top = client.topk()
    assert top.reserve("pages", 2, 50, 5, 0.9) is True
    assert top.add("pages", "a", "b", "b", "c", "c", "c") == [None, None, None, "a", None, None]
    assert top.incrby("pages", ["d"], [9]) == ["b"]
    assert top.query("pages", "a", "c") == [0, 1]
    assert top.count("pages", "c", "d") == [3, 9]
    assert top.list("pages") == ["d", "c"]
    assert top.list("pages", withcount=True) == ["d", 9, "c", 3]
    *whole, decay = infos(top.info("pages"))
    assert whole == [2, 50, 5] and float(decay) == 0.9
    with raises("TopK: key does not exist"):
        top.list("none")


def test_t_digests(client):
    digests = client.tdigest()
    assert digests.create("times", 100) is True
    assert math.isnan(digests.min("times"))
    assert digests.add("times", [1, 2, 3, 4, 5.5]) == "OK"
    assert (digests.min("times"), digests.max("times")) == (1.0, 5.5)
    assert floats(digests.quantile("times", 0.5, 0.9)) == [3, 5.5]
    assert floats(digests.cdf("times", 3, 9)) == [0.5, 1]
    assert digests.rank("times", 3, 9, 0) == [2, 5, -1]
    assert digests.revrank("times", 3) == [2]
    assert floats(digests.byrank("times", 0, 9)) == [1, math.inf]
    assert floats(digests.byrevrank("times", 0, 9)) == [5.5, -math.inf]
    assert digests.trimmed_mean("times", 0.1, 0.9) == 3.1
    assert digests.merge("all", 1, "times", compression=50) == "OK"
    assert infos(digests.info("all"))[:4] == [50, 310, 0, 5]
    assert digests.reset("times") == "OK"
    assert math.isnan(digests.max("times"))
    with raises("T-Digest: key already exists"):
        digests.create("all")
    with raises("T-Digest: key does not exist"):
        digests.max("none")


def floats(replies):
    return [float(reply) for reply in replies]


@pytest.fixture
def series(client):
    """Two series with samples, and a rule that takes the highest of each second of the first."""
    series = client.ts()
    assert series.create("kitchen", retention_msecs=10_000, labels={"room": "kitchen", "of": "°C"}, duplicate_policy="last")
    assert series.create("study", uncompressed=True, chunk_size=128, labels={"room": "study", "of": "°C"})
    assert series.create("max") is True
    assert series.createrule("kitchen", "max", "max", 1000) is True
    assert series.add("kitchen", 1000, 20.5) == 1000
    assert series.add("kitchen", 1000, 21, on_duplicate="sum") == 1000
    written = series.madd([("kitchen", 1500, 22), ("none", 1, 1), ("kitchen", 2000, 23), ("study", 1000, 5)])
    assert written[:1] + written[2:] == [1500, 2000, 1000]
    assert str(written[1]) == "TSDB: the key is not a TSDB key"
    return series


def pairs(samples):
    """Return samples as tuples, which they are in RESP2, but lists in RESP3."""
    return [tuple(sample) for sample in samples]


def test_samples(series):
    assert tuple(series.get("kitchen")) == (2000, 23)
    assert tuple(series.get("max")) == (1000, 41.5)
    assert tuple(series.get("max", latest=True)) == (2000, 23)
    assert pairs(series.range("kitchen", "-", "+")) == [(1000, 41.5), (1500, 22), (2000, 23)]
    assert pairs(series.revrange("kitchen", "-", "+", count=1)) == [(2000, 23)]
    assert pairs(series.range("kitchen", 0, 5000, filter_by_ts=[1500], filter_by_min_value=1, filter_by_max_value=99)) == [(1500, 22)]
    means = {"aggregation_type": "avg", "bucket_size_msec": 1000, "align": "-", "bucket_timestamp": "+", "empty": True}
    assert pairs(series.range("kitchen", 0, 5000, **means)) == [(2000, 31.75), (3000, 23)]
    assert pairs(series.range("max", "-", "+", latest=True)) == [(1000, 41.5), (2000, 23)]
    assert series.delete("kitchen", 1000, 1500) == 2
    assert series.incrby("count", 3, timestamp=10) == series.decrby("count", 1, timestamp=10) == 10
    assert tuple(series.get("count")) == (10, 2)


def test_labels(series, protocol):
    def of(replies):
        """The replies to a query: in RESP2 a list of dictionaries with one key each, in RESP3 a dictionary."""
        return replies if protocol == 3 else {key: value for reply in replies for key, value in reply.items()}

    assert series.queryindex(["of=°C", "room!=study"]) == ["kitchen"]
    last = of(series.mget(["of=°C"], select_labels=["room"]))
    assert last["study"] == ([{"room": "study"}, 1000, 5] if protocol == 2 else [{"room": "study"}, [1000, 5]])
    first = of(series.mrange("-", "+", ["of=°C"], with_labels=True, count=1))
    assert first["kitchen"][0] == {"room": "kitchen", "of": "°C"}
    assert {key: pairs(reply[-1]) for key, reply in first.items()} == {"kitchen": [(1000, 41.5)], "study": [(1000, 5)]}
    sums = of(series.mrevrange("-", "+", ["of=°C"], aggregation_type="sum", bucket_size_msec=1000, groupby="of", reduce="min"))
    assert pairs(sums["of=°C"][-1]) == [(2000, 23), (1000, 5)]
    if protocol == 3:
        assert sums["of=°C"][1:3] == [{"reducers": ["min"]}, {"sources": ["kitchen", "study"]}]


def test_properties(series, protocol):
    assert series.alter("study", labels={"room": "attic"}) is True
    info = series.info("study")
    if protocol == 2:
        assert (info.total_samples, info.chunk_size, info.labels, info.rules) == (1, 128, {"room": "attic"}, [])
        assert series.info("kitchen").rules == [["max", 1000, "MAX", 0]]
        assert series.info("max").source_key == "kitchen"
    else:
        assert (info["totalSamples"], info["chunkSize"], info["labels"], info["rules"]) == (1, 128, {"room": "attic"}, {})
        assert series.info("kitchen")["rules"] == {"max": [1000, "MAX", 0]}
        assert series.info("max")["sourceKey"] == "kitchen"
    assert series.deleterule("kitchen", "max") is True
    with raises("TSDB: compaction rule does not exist"):
        series.deleterule("kitchen", "max")


def test_errors_of_series(series):
    with raises("TSDB: key already exists"):
        series.create("kitchen")
    with raises("TSDB: the key does not exist"):
        series.get("none")
    with raises("TSDB: Error at upsert, update is not supported when DUPLICATE_POLICY is set to BLOCK mode"):
        series.add("study", 1000, 6)
    with raises("TSDB: please provide at least one matcher"):
        series.queryindex(["room!=study"])


def test_later_commands(series):
    """What came with Redis 8.8 and 8.10, which redis-py knows since 8.1."""
    if not hasattr(series, "nrange"):
        pytest.skip("this redis-py has no method for TS.NRANGE")
    (time, values), last = series.nrange(["kitchen", "study"], "-", "+", aggregators=["min,max", "sum"], bucket_size_msec=1000)
    assert (time, floats(values)) == (1000, [22, 41.5, 5])
    assert last[0] == 2000 and math.isnan(float(last[1][2]))
    assert pairs(series.read("kitchen", 1001, max_count=1)) == [(1500, 22)]


@pytest.mark.parametrize("transaction", [False, True])
def test_pipelines(client, transaction):
    pipeline = client.ts().pipeline(transaction=transaction)
    pipeline.add("temp", 1, 2).get("temp").range("temp", "-", "+").add("temp", 1, 3)
    added, sample, samples, error = pipeline.execute(raise_on_error=False)
    assert (added, tuple(sample), pairs(samples)) == (1, (1, 2), [(1, 2)])
    assert "DUPLICATE_POLICY" in str(error)


def test_a_cluster(protocol):
    with Server("--cluster-enabled", "yes") as server:
        with RedisCluster(host=server.host, port=server.port, protocol=protocol, decode_responses=True) as cluster:
            counts, digests, series = cluster.cms(), cluster.tdigest(), cluster.ts()
            for key in "{hits}:1", "{hits}:2":
                counts.initbydim(key, 100, 5)
                counts.incrby(key, ["a"], [1])
            assert counts.merge("{hits}:2", 2, ["{hits}:1", "{hits}:2"], weights=[2, 3]) is True
            assert counts.query("{hits}:2", "a") == [5]
            with pytest.raises(RedisClusterException, match="same key slot"):
                counts.merge("all", 1, ["{hits}:1"])
            digests.create("{times}:1")
            digests.add("{times}:1", [1, 2])
            assert digests.merge("{times}:all", 1, "{times}:1") == "OK"
            for key in "{temp}:1", "{temp}:2":
                series.create(key, labels={"of": "°C"})
            assert series.createrule("{temp}:1", "{temp}:2", "avg", 10) is True
            assert series.madd([("{temp}:1", 1, 20), ("{temp}:1", 11, 21)]) == [1, 11]
            assert pairs(series.range("{temp}:2", "-", "+")) == [(0, 20)]
            # Queries name no key, and redis-py does not choose a node for them.
            ask = cluster.execute_command
            assert ask("TS.QUERYINDEX", "of=°C", target_nodes=cluster.get_random_node()) == ["{temp}:1", "{temp}:2"]


async def test_asyncio(world, protocol):
    async with redis.asyncio.from_url(world.url, protocol=protocol, decode_responses=True) as client:
        assert await client.cf().add("seen", "a") == 1
        assert await client.topk().reserve("pages", 2, 50, 5, 0.9) is True
        assert await client.ts().add("temp", 1, 2.5) == 1
        assert tuple(await client.ts().get("temp")) == (1, 2.5)


def test_fakeredis():
    client = fakeredis.FakeRedis()
    assert client.cf().add("seen", "a") == 1
    assert client.ts().add("temp", 1, 2.5) == 1
    with pytest.raises(redis.ResponseError, match="^unknown command 'TS.ADD'"):
        fakeredis.FakeRedis(version=(7, 4)).ts().add("temp", 1, 2)
