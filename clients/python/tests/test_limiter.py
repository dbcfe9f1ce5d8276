"""A limiter over a simulated day: 100 requests in any 60 minutes, while 3 come each minute."""

import time
from pathlib import Path

import redis

SCRIPT = Path(__file__).parents[3] / "examples" / "sliding-window-zset.lua"


def test_a_day_of_a_limiter(world):
    began = time.perf_counter()
    with redis.from_url(world.url) as client:
        world.clock.freeze()
        limiter = client.register_script(SCRIPT.read_text())
        limiter(keys=["warm-up"], args=[1, 1])
        allowed = []
        for _ in range(24 * 60):
            with client.pipeline(transaction=False) as pipe:
                for _ in range(3):
                    pipe.evalsha(limiter.sha, 1, "visits:alice", 100, 3_600_000)
                allowed.append(sum(reply[0] for reply in pipe.execute()))
            world.clock.advance(minutes=1)
    assert sum(allowed) == 24 * 100
    assert allowed[:35] == [3] * 33 + [1, 0]
    assert max(sum(allowed[i : i + 60]) for i in range(len(allowed))) == 100
    print(f"\na day of {3 * len(allowed)} requests took {time.perf_counter() - began:.2f} seconds")
