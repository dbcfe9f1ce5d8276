"""Searches with LangChain's vector store, in hashes and JSON, and asks its caches."""

import sys

from langchain_core.embeddings import Embeddings
from langchain_core.outputs import Generation
from langchain_redis import RedisCache, RedisChatMessageHistory, RedisConfig, RedisSemanticCache, RedisVectorStore
from redisvl.query.filter import Num, Tag, Text

URL = sys.argv[1]
VECTORS = {"a cat": [1, 0, 0], "a kitten": [0.9, 0.2, 0], "a car": [0, 1, 0], "a train": [0, 0.9, 0.4], "pets": [1, 0.1, 0]}
SCHEMA = [{"name": "kind", "type": "tag"}, {"name": "year", "type": "numeric"}, {"name": "source", "type": "text"}]


class Fixed(Embeddings):
    def embed_query(self, text):
        return VECTORS.get(text, [0.5, 0.5, 0.5])

    def embed_documents(self, texts):
        return [self.embed_query(text) for text in texts]


def texts(documents):
    return [document.page_content for document in documents]


for storage in "hash", "json":
    for algorithm in "FLAT", "HNSW":
        name = f"{storage}-{algorithm}"
        config = RedisConfig(index_name=name, redis_url=URL, storage_type=storage, indexing_algorithm=algorithm, metadata_schema=SCHEMA)
        store = RedisVectorStore(Fixed(), config=config)
        metadata = [{"kind": kind, "year": year, "source": f"some {kind} text"} for year, kind in enumerate(["pet", "pet", "thing", "thing"], 1)]
        keys = store.add_texts(["a cat", "a kitten", "a car", "a train"], metadata, keys=["1", "2", "3", "4"])
        print(keys, [(found.page_content, found.metadata) for found in store.similarity_search("pets", k=2)])
        print([(found.page_content, score) for found, score in store.similarity_search_with_score("pets", k=3)])
        print(texts(store.similarity_search("pets", k=4, filter=Tag("kind") == "thing")))
        print(texts(store.similarity_search("pets", k=4, filter=(Num("year") > 1) & (Text("source") % "pet"))))
        print(texts(store.max_marginal_relevance_search("pets", k=2, fetch_k=4)))
        print(store.delete(keys[:1]), texts(store.similarity_search("pets", k=9)), texts(store.get_by_ids(["2"])))
        print(texts(RedisVectorStore.from_existing_index(name, Fixed(), redis_url=URL).similarity_search("pets", k=1)))

cache = RedisCache(redis_url=URL, ttl=60)
cache.update("asked", "model", [Generation(text="answered")])
print(cache.lookup("asked", "model"), cache.lookup("not asked", "model"))
cache.clear()
print(cache.lookup("asked", "model"))

cache = RedisSemanticCache(Fixed(), redis_url=URL, distance_threshold=0.1)
cache.update("a cat", "model", [Generation(text="It purrs.")])
print(cache.lookup("a kitten", "model"), cache.lookup("a car", "model"), cache.lookup("a cat", "other"))

history = RedisChatMessageHistory("alice", redis_url=URL, ttl=100)
history.add_user_message("hello big world")
history.add_ai_message("hi there")
print([(message.type, message.content) for message in history.messages], len(history.search_messages("world")), len(history))
history.clear()
print(history.messages)
