"""Interrupts a graph of LangGraph, goes on, and goes back, and keeps what is to be remembered."""

import asyncio
import sys
from operator import add
from typing import Annotated, TypedDict

from langgraph.checkpoint.redis import RedisSaver, ShallowRedisSaver
from langgraph.checkpoint.redis.aio import AsyncRedisSaver
from langgraph.graph import END, START, StateGraph
from langgraph.store.redis import RedisStore
from langgraph.types import Command, interrupt

URL = sys.argv[1]


class State(TypedDict):
    said: Annotated[list, add]


def greet(state):
    return {"said": ["hello"]}


def ask(state):
    return {"said": [interrupt("How are you?")]}


graph = StateGraph(State).add_node("greet", greet).add_node("ask", ask)
graph.add_edge(START, "greet").add_edge("greet", "ask").add_edge("ask", END)


def thread(name):
    return {"configurable": {"thread_id": name}}


with RedisSaver.from_conn_string(URL) as saver:
    saver.setup()
    app = graph.compile(checkpointer=saver)
    alice = thread("alice")
    waiting = app.invoke({"said": ["x"]}, alice)
    print(waiting["said"], [question.value for question in waiting["__interrupt__"]])
    print(app.get_state(alice).next, app.get_state(alice).values)
    print(app.invoke(Command(resume="well"), alice))
    states = list(app.get_state_history(alice))
    print([(state.values.get("said"), state.next, state.metadata["step"]) for state in states])
    before = next(state for state in states if state.next == ("ask",))
    print(app.invoke(Command(resume="badly"), before.config))
    for chosen in {}, {"limit": 2}, {"filter": {"source": "loop"}}, {"before": before.config}:
        print(chosen.get("limit"), len(list(saver.list(alice, **chosen))))
    app.invoke({"said": ["y"]}, thread("bob"))
    print(len(list(saver.list(None))))
    saver.delete_thread("alice")
    print(app.get_state(alice).values, app.get_state(thread("bob")).values)

with ShallowRedisSaver.from_conn_string(URL) as saver:
    saver.setup()
    app = graph.compile(checkpointer=saver)
    app.invoke({"said": ["x"]}, thread("carol"))
    print(app.invoke(Command(resume="fine"), thread("carol")), len(list(saver.list(thread("carol")))))


async def asynchronously():
    async with AsyncRedisSaver.from_conn_string(URL) as saver:
        await saver.asetup()
        app = graph.compile(checkpointer=saver)
        await app.ainvoke({"said": ["x"]}, thread("dan"))
        print(await app.ainvoke(Command(resume="fine"), thread("dan")))
        print(len([state async for state in app.aget_state_history(thread("dan"))]))


asyncio.run(asynchronously())

VECTORS = {"cats": [1, 0, 0], "kittens": [0.9, 0.1, 0], "cars": [0, 1, 0], "trains": [0, 0.9, 0.2]}
index = {"dims": 3, "embed": lambda texts: [VECTORS[text] for text in texts], "fields": ["text"], "distance_type": "cosine"}
with RedisStore.from_conn_string(URL, index=index, ttl={"default_ttl": 60, "refresh_on_read": True}) as store:
    store.setup()
    for i, text in enumerate(VECTORS):
        store.put(("things", f"user{i % 2}"), text, {"text": text, "i": i})
    store.put(("settings",), "theme", {"color": "dark"})
    print(store.get(("settings",), "theme").value, store.get(("settings",), "none"))
    print([(found.key, found.score) for found in store.search(("things",), query="kittens", limit=3)])
    print([(found.key, found.value["i"]) for found in store.search(("things",), filter={"i": 2})])
    print(sorted(found.key for found in store.search(("things",))))
    print(sorted(store.list_namespaces()), store.list_namespaces(prefix=("things",), max_depth=1))
    store.put(("settings",), "theme", {"color": "light"})
    print(store.get(("settings",), "theme").value)
    store.delete(("settings",), "theme")
    print(store.get(("settings",), "theme"))
