"""The column of fakeredis in the table of the README, with the original. The other columns have a test in Go."""

import json
from pathlib import Path

import fakeredis
import redis

ROOT = Path(__file__).parents[3]


def send(client, words):
    """Return the error that a command raises, or None."""
    try:
        client.execute_command(*words)
    except (redis.RedisError, NotImplementedError, TypeError) as e:
        return e
    return None


def test_the_table_says_what_fakeredis_does():
    probes = json.loads((ROOT / "internal/readme/testdata/comparison.json").read_text())
    table = [line.strip("| ").split(" | ") for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("| ")]
    cells = {row[0]: row[3] for row in table if len(row) == 5}
    known = 0
    for name in probes["commands"]:
        client = fakeredis.FakeRedis()
        error = send(client, [name.upper()] + ["x"] * 40)
        known += error is None or "unknown command" not in str(error).lower()
    assert cells[f"commands of Redis 8.6, of {len(probes['commands'])}"] == str(known)
    for row in probes["rows"]:
        client = fakeredis.FakeRedis()
        works = all(send(client, words) is None for words in row["commands"])
        assert cells[row["row"]] == ("✓" if works else "–"), row["row"]
