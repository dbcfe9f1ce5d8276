"""Searches with RedisVL, in hashes and JSON, and uses what it has on top of that."""

import sys

import numpy as np
from redis import Redis
from redisvl.extensions.cache.embeddings import EmbeddingsCache
from redisvl.extensions.cache.llm import SemanticCache
from redisvl.extensions.message_history import MessageHistory, SemanticMessageHistory
from redisvl.extensions.router import Route, SemanticRouter
from redisvl.index import SearchIndex
from redisvl.query import AggregateHybridQuery, CountQuery, FilterQuery, RangeQuery, TextQuery, VectorQuery
from redisvl.query.filter import Geo, GeoRadius, Num, Tag, Text
from redisvl.utils.vectorize import CustomVectorizer

client = Redis.from_url(sys.argv[1])
numbers = np.random.default_rng(3)

for storage, algorithm in ("hash", "flat"), ("json", "hnsw"):
    vector = {"dims": 3, "distance_metric": "cosine", "algorithm": algorithm, "datatype": "float32"}
    schema = {
        "index": {"name": storage, "prefix": storage, "storage_type": storage},
        "fields": [
            {"name": "user", "type": "tag"},
            {"name": "job", "type": "text"},
            {"name": "age", "type": "numeric"},
            {"name": "at", "type": "geo"},
            {"name": "vector", "type": "vector", "attrs": vector},
        ],
    }
    index = SearchIndex.from_dict(schema, redis_client=client, validate_on_load=True)
    index.create(overwrite=True)
    users = []
    for i in range(30):
        near = numbers.random(3).astype(np.float32)
        job = ["engineer", "doctor of medicine", "dentist"][i % 3]
        vector = near.tobytes() if storage == "hash" else near.tolist()
        users.append({"user": f"user{i}", "job": job, "age": 18 + i, "at": f"{-122 + i * 0.1:.2f},37.7", "vector": vector})
    index.load(users, id_field="user")
    query = VectorQuery([0.1, 0.1, 0.5], "vector", return_fields=["user", "age", "job"], num_results=4)
    print(index.query(query))
    for chosen in (
        (Num("age") > 25) & (Tag("user") != "user12"),
        Text("job") % "engin*|dentist",
        Geo("at") == GeoRadius(-122, 37.7, 20, "km"),
    ):
        query.set_filter(chosen)
        print(index.query(query))
    print(index.query(RangeQuery([0.1, 0.1, 0.5], "vector", return_fields=["user"], distance_threshold=0.1)))
    doctors = (Num("age") >= 40) & (Text("job") == "doctor of medicine")
    print(index.query(FilterQuery(return_fields=["user", "age"], filter_expression=doctors).sort_by(("age", "DESC"))))
    print(index.query(CountQuery(filter_expression=Tag("user") == ["user1", "user2"])))
    for page in index.paginate(FilterQuery(return_fields=["user"], filter_expression=Num("age") < 22), page_size=2):
        print(page)
    print(index.exists(), index.info()["num_docs"], index.fetch("user1")["job"], index.drop_keys([f"{storage}:user1"]), index.clear())
    index.delete()

schema = {
    "index": {"name": "both", "prefix": "both", "storage_type": "hash"},
    "fields": [{"name": "text", "type": "text"}, {"name": "vector", "type": "vector", "attrs": {"dims": 3, "algorithm": "flat"}}],
}
index = SearchIndex.from_dict(schema, redis_client=client)
index.create()
texts = ("red apple pie", [1, 0, 0]), ("green apple", [0, 1, 0]), ("blue sky", [0, 0, 1])
index.load([{"id": i, "text": text, "vector": np.array(vector, np.float32).tobytes()} for i, (text, vector) in enumerate(texts)], id_field="id")
words = {"text": "apple pie", "text_field_name": "text", "return_fields": ["text"], "stopwords": None}
print(index.query(AggregateHybridQuery(vector=[1, 0.1, 0], vector_field_name="vector", **words)))
print(index.query(TextQuery(text_scorer="BM25", **words)))

VECTORS = {"hello": [1.0, 0.0, 0.0], "hi": [0.9, 0.1, 0.0], "bye": [0.0, 1.0, 0.0]}
vectorizer = CustomVectorizer(embed=lambda text: VECTORS.get(text, [0.0, 0.0, 1.0]))

cache = SemanticCache(name="answers", redis_client=client, distance_threshold=0.1, vectorizer=vectorizer, ttl=100)
cache.store("hello", "Good day", metadata={"from": 1})
for asked in VECTORS:
    print([(hit["response"], hit["prompt"], hit["metadata"]) for hit in cache.check(asked)])
cache.clear()
print(cache.check("hello"))

embeddings = EmbeddingsCache(name="embeddings", redis_client=client, ttl=100)
embeddings.set(content="x", model_name="m", embedding=[0.1, 0.2])
print(embeddings.get(content="x", model_name="m")["embedding"], embeddings.exists(content="y", model_name="m"))

routes = [
    Route(name="greeting", references=["hello", "hi"], distance_threshold=0.2),
    Route(name="parting", references=["bye"], distance_threshold=0.2),
]
router = SemanticRouter(name="router", routes=routes, vectorizer=vectorizer, redis_client=client)
for said in [*VECTORS, "price"]:
    print(router(said).name, [(match.name, match.distance) for match in router.route_many(said, max_k=2)])

history = MessageHistory(name="history", redis_client=client)
history.add_messages([{"role": "user", "content": "hello"}, {"role": "llm", "content": "hi"}])
print([(str(message["role"]), message["content"]) for message in history.get_recent()])
history = SemanticMessageHistory(name="semantic", redis_client=client, vectorizer=vectorizer)
history.store("hello", "hi")
print([(str(message["role"]), message["content"]) for message in history.get_relevant("hi", distance_threshold=0.2)])
