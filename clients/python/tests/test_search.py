"""Search by redis-py, in both protocols. docs/search.md shows the first test.

The others run on miniserver, and also on the server of Redis Stack whose URL is in STACK_URL: there they empty it."""

import os
import struct

import pytest
import redis
import redis.asyncio
from miniserver_testkit import Server, fakeredis
from redis.commands.search.aggregation import AggregateRequest, Asc, Cursor, Desc
from redis.commands.search.field import GeoField, GeoShapeField, NumericField, TagField, TextField, VectorField
from redis.commands.search.index_definition import IndexDefinition, IndexType
from redis.commands.search.query import GeoFilter, NumericFilter, Query
from redis.commands.search.reducers import avg, count, tolist
from redis.commands.search.suggestion import Suggestion


def test_books(world):
    client = redis.from_url(world.url, decode_responses=True)
    books = client.ft("books")
    books.create_index(
        [TextField("title", weight=2), TagField("genre"), NumericField("year", sortable=True)],
        definition=IndexDefinition(prefix=["book:"]),
    )
    client.hset("book:1", mapping={"title": "The Time Machine", "genre": "novel,science fiction", "year": 1895})
    client.hset("book:2", mapping={"title": "Travels with a Donkey", "genre": "travel", "year": 1879})

    found = books.search(Query("@genre:{science fiction} @year:[1890 1900]").return_fields("title"))
    assert [(book.id, book.title) for book in found.docs] == [("book:1", "The Time Machine")]
    newest = books.search(Query("*").sort_by("year", asc=False).no_content())
    assert [book.id for book in newest.docs] == ["book:1", "book:2"]


@pytest.fixture(scope="module")
def like():
    with Server("--like", "redis-stack:7.4") as server:
        yield server


@pytest.fixture(params=["miniserver", "redis-stack"])
def url(request, like):
    if request.param == "miniserver":
        with like.world(like.fresh_name(request.node.name)) as world:
            yield world.url
        return
    url = os.environ.get("STACK_URL")
    if not url:
        pytest.skip("STACK_URL names no Redis Stack")
    redis.from_url(url).flushall()
    yield url


@pytest.fixture(params=[2, 3])
def protocol(request):
    return request.param


@pytest.fixture
def client(url, protocol):
    with redis.from_url(url, protocol=protocol, decode_responses=True) as client:
        yield client


def raises(error):
    return pytest.raises(redis.ResponseError, match=error)


def found(result):
    """Return the number of documents that were found, and those of the page: names and fields. In RESP3 redis-py replies with a dictionary."""
    if isinstance(result, dict):
        return result["total_results"], {doc["id"]: doc.get("extra_attributes", {}) for doc in result["results"]}
    return result.total, {doc.id: {name: value for name, value in vars(doc).items() if name not in ("id", "payload")} for doc in result.docs}


def ids(result):
    return list(found(result)[1])


def rows(result):
    """Return the rows of an aggregation as dictionaries."""
    if isinstance(result, dict):
        return [row["extra_attributes"] for row in result["results"]]
    return [dict(zip(row[::2], row[1::2])) for row in result.rows]


BIKES = [
    {"brand": "Velorim", "about": "The tiniest kids bike", "price": 270, "state": "new", "at": "-74.0,40.7", "area": "POINT (1 1)"},
    {"brand": "Bicyk", "about": "Kids ride with little weight", "price": 1200, "state": "used", "at": "-73.9,40.8", "area": "POINT (2 2)"},
    {"brand": "Nord", "about": "A mountain bike for forests", "price": 815, "state": "used", "at": "-0.1,51.5", "area": "POINT (5 5)"},
    {"brand": "Eva", "about": "Bicycles for women", "price": 3400, "state": "refurbished,used", "at": "2.3,48.8", "area": "POINT (9 9)"},
]


@pytest.fixture(params=["hash", "json"])
def bikes(client, request):
    """An index of bikes, with fields of all kinds but vectors."""
    json = request.param == "json"
    path = "$." if json else ""
    index = client.ft("bikes")
    fields = [
        TextField(f"{path}brand", as_name="brand", no_stem=True, sortable=True),
        TextField(f"{path}about", as_name="about", weight=2),
        NumericField(f"{path}price", as_name="price", sortable=True),
        TagField(f"{path}state", as_name="state", separator=","),
        GeoField(f"{path}at", as_name="at"),
        GeoShapeField(f"{path}area", GeoShapeField.FLAT, as_name="area"),
    ]
    kind = IndexType.JSON if json else IndexType.HASH
    assert index.create_index(fields, definition=IndexDefinition(prefix=["bike:"], index_type=kind)) == "OK"
    for i, bike in enumerate(BIKES, 1):
        client.json().set(f"bike:{i}", "$", bike) if json else client.hset(f"bike:{i}", mapping=bike)
    return index


@pytest.mark.parametrize(
    "query, names",
    [
        ("*", "1234"),
        ("kids", "12"),
        ("@brand:nord", "3"),
        ("@about:(kids -tiniest)", "2"),
        ("mountain | women", "34"),
        ("bicyc*", "4"),
        ("%moutain%", "3"),
        ('"mountain bike"', "3"),
        ("riding", "2"),
        ("@price:[815 (1200]", "3"),
        ("@price:[-inf 300] | @price:[3000 +inf]", "14"),
        ("@state:{used}", "234"),
        ("-@state:{used | new}", ""),
        ("@at:[-74 40.7 30 km]", "12"),
        ("@about:kids ~@brand:bicyk", "12"),
    ],
)
def test_queries(bikes, query, names):
    total, docs = found(bikes.search(Query(query)))
    assert (total, sorted(docs)) == (len(names), [f"bike:{name}" for name in names])


def test_shapes(bikes):
    query = Query("@area:[WITHIN $square]").no_content().dialect(3)
    assert sorted(ids(bikes.search(query, {"square": "POLYGON ((0 0, 0 6, 6 6, 6 0, 0 0))"}))) == ["bike:1", "bike:2", "bike:3"]


def test_pages_and_fields(bikes):
    cheap = Query("*").sort_by("price").paging(1, 2).return_fields("brand", "price")
    total, docs = found(bikes.search(cheap))
    assert total == 4
    assert [(name, doc["brand"], doc["price"]) for name, doc in docs.items()] == [("bike:3", "Nord", "815"), ("bike:2", "Bicyk", "1200")]
    assert ids(bikes.search(Query("*").sort_by("price", asc=False).no_content())) == ["bike:4", "bike:2", "bike:3", "bike:1"]
    assert ids(bikes.search(Query("*").add_filter(NumericFilter("price", 0, 1000)))) == ["bike:1", "bike:3"]
    assert ids(bikes.search(Query("*").add_filter(GeoFilter("at", -74, 40.7, 100)))) == ["bike:1", "bike:2"]
    assert ids(bikes.search(Query("bike").limit_ids("bike:3", "bike:4"))) == ["bike:3"]
    assert ids(bikes.search(Query("nord").limit_fields("about"))) == []
    assert ids(bikes.search(Query("mountain for forests").slop(0).in_order().verbatim())) == []
    assert ids(bikes.search(Query("@brand:$brand").dialect(2), {"brand": "eva"})) == ["bike:4"]


def test_marks_and_scores(bikes, protocol):
    marked = Query("kids").return_fields("about").highlight(fields=["about"], tags=["[", "]"])
    _, docs = found(bikes.search(marked))
    assert {doc["about"] for doc in docs.values()} == {"The tiniest [kids] bike", "[Kids] ride with little weight"}
    summary = Query("forests").return_fields("about").summarize(fields=["about"], context_len=1, num_frags=1, sep="...")
    assert found(bikes.search(summary))[1]["bike:3"]["about"].endswith("forests...")
    scored = bikes.search(Query("mountain").with_scores().no_content().scorer("DISMAX"))
    assert (scored.docs[0].score if protocol == 2 else scored["results"][0]["score"]) in (2, "2")


def test_aggregations(bikes):
    by_state = AggregateRequest("*").group_by("@state", count().alias("n"), avg("@price").alias("mean")).sort_by(Asc("@state"))
    assert rows(bikes.aggregate(by_state)) == [
        {"state": "new", "n": "1", "mean": "270"},
        {"state": "refurbished,used", "n": "1", "mean": "3400"},
        {"state": "used", "n": "2", "mean": "1007.5"},
    ]
    dear = AggregateRequest("bike").load("@brand").apply(half="@price / 2").filter("@half > 100").sort_by(Desc("@half")).limit(0, 1)
    assert rows(bikes.aggregate(dear)) == [{"brand": "Nord", "price": "815", "half": "407.5"}]
    lists = AggregateRequest("@price:[0 300]").group_by([], tolist("@brand").alias("brands"))
    [row] = rows(bikes.aggregate(lists))  # a hash has what sorts in small letters
    assert [brand.lower() for brand in row["brands"]] == ["velorim"]


def test_cursors(bikes):
    pages, request = [], AggregateRequest("*").load("@price").sort_by(Asc("@price")).cursor(count=3)
    while request is not None:
        result = bikes.aggregate(request)
        if isinstance(result, list):  # in RESP3
            result, cursor = result
            request = Cursor(cursor) if cursor else None
        else:
            request = result.cursor if result.cursor.cid else None
        pages.append([row["price"] for row in rows(result)])
    assert pages == [["270", "815", "1200"], ["3400"]]


def test_explanations(bikes):
    assert bikes.explain("kids @price:[1 2]") == "INTERSECT {\n  UNION {\n    kids\n    +kid(expanded)\n    kid(expanded)\n  }\n  NUMERIC {1.000000 <= @price <= 2.000000}\n}\n"
    assert "Iterators profile" in profile(bikes, Query("kids").no_content())
    assert "Grouper" in profile(bikes, AggregateRequest("kids").group_by([], count().alias("n")))


def profile(index, request):
    """Return as text what redis-py makes of a profile: the result and the profile in RESP2, and in RESP3 the profile alone, which has both."""
    reply = index.profile(request)
    return str(reply[1].info if isinstance(reply, tuple) else reply.info)


def test_the_index(client, bikes):
    info = bikes.info()
    assert (info["index_name"], int(info["num_docs"]), int(info["hash_indexing_failures"])) == ("bikes", 4, 0)
    assert bikes.alter_schema_add([NumericField("wheels")]) == "OK"
    assert bikes.aliasadd("two-wheels") == "OK"
    assert ids(client.ft("two-wheels").search(Query("women"))) == ["bike:4"]
    assert bikes.aliasdel("two-wheels") == "OK"
    assert sorted(bikes.tagvals("state")) == ["new", "refurbished", "used"]
    assert bikes.synupdate("small", False, "kids", "children") == "OK"
    assert bikes.syndump() == {"kids": ["small"], "children": ["small"]}
    assert bikes.dropindex(delete_documents=True) == "OK"
    assert client.keys("bike:*") == []
    with raises("(?i)unknown index name"):
        bikes.info()


def test_spelling(bikes, protocol):
    suggestions = bikes.spellcheck("womn mountin")
    words = {word: [s["suggestion"] for s in of] for word, of in suggestions.items()} if protocol == 2 else {
        word: [name for s in of for name in s] for word, of in suggestions["results"].items()
    }
    assert words == {"womn": ["women"], "mountin": ["mountain"]}
    assert bikes.dict_add("words", "gravel", "tandem") == 2
    assert sorted(bikes.dict_dump("words")) == ["gravel", "tandem"]
    assert bikes.dict_del("words", "tandem") == 1
    near = bikes.spellcheck("gravl", distance=1, include="words")
    assert "gravel" in str(near)


def test_suggestions(client):
    index = client.ft("any")
    assert index.sugadd("words", Suggestion("hello", 2), Suggestion("help", 3, payload="?"), Suggestion("world")) == 3
    assert index.sugadd("words", Suggestion("hello", 2), increment=True) == 3
    assert index.suglen("words") == 3
    assert [str(s) for s in index.sugget("words", "hel")] == ["hello", "help"]
    assert [(s.string, s.payload) for s in index.sugget("words", "hel", with_payloads=True)] == [("hello", None), ("help", "?")]
    assert [s.string for s in index.sugget("words", "hal", fuzzy=True, num=1)] == ["hello"]
    assert index.sugget("words", "hel", with_scores=True)[0].score == pytest.approx(2.3094, abs=0.0001)
    assert index.sugdel("words", "help") == 1
    assert index.sugget("words", "x") == []


@pytest.mark.parametrize("algorithm", ["FLAT", "HNSW"])
@pytest.mark.parametrize("kind", [IndexType.HASH, IndexType.JSON])
def test_vectors(client, algorithm, kind):
    index = client.ft("places")
    path = "" if kind == IndexType.HASH else "$."
    vector = VectorField(f"{path}at", algorithm, {"TYPE": "FLOAT32", "DIM": 2, "DISTANCE_METRIC": "L2"}, as_name="at")
    index.create_index([vector, TagField(f"{path}kind", as_name="kind")], definition=IndexDefinition(prefix=["p:"], index_type=kind))
    for i in range(1, 6):
        place = {"at": [float(i), 0.0], "kind": "even" if i % 2 == 0 else "odd"}
        if kind == IndexType.JSON:
            client.json().set(f"p:{i}", "$", place)
        else:
            client.hset(f"p:{i}", mapping=place | {"at": struct.pack("<2f", *place["at"])})

    def near(query):
        """Return the distances of the places that a query finds from the second one."""
        query = Query(query).sort_by("d").return_fields("d").dialect(2)
        _, docs = found(index.search(query, {"here": struct.pack("<2f", 2, 0)}))
        return {name: float(doc["d"]) for name, doc in docs.items()}

    assert near("*=>[KNN 1 @at $here AS d]") == {"p:2": 0}
    assert near("(@kind:{even})=>[KNN 3 @at $here AS d]") == {"p:2": 0, "p:4": 4}
    assert near("@at:[VECTOR_RANGE 1 $here]=>{$yield_distance_as: d}") == {"p:1": 1, "p:2": 0, "p:3": 1}
    with raises("(?i)blob size"):
        index.search(Query("*=>[KNN 1 @at $here]").dialect(2), {"here": b"short"})


def test_errors(bikes):
    for query in "(", "@price:[1":
        with raises("^Syntax error at offset"):
            bikes.search(Query(query).dialect(2))
    with raises("^none: no such index$"):
        bikes.client.ft("none").search("x")
    with raises("^Index already exists$"):
        bikes.create_index([TextField("x")])


async def test_asyncio(url, protocol):
    async with redis.asyncio.from_url(url, protocol=protocol, decode_responses=True) as client:
        index = client.ft("i")
        assert await index.create_index([TextField("t")]) == "OK"
        await client.hset("a", "t", "hello world")
        assert ids(await index.search("hello")) == ["a"]


def test_fakeredis():
    client = fakeredis.FakeRedis(decode_responses=True)
    client.ft("i").create_index([TextField("t")])
    client.hset("a", "t", "hello world")
    assert ids(client.ft("i").search("hello")) == ["a"]
