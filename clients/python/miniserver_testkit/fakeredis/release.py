"""Which release of miniserver's ``like`` stands for a version and a type of server."""

from typing import Literal

Version = int | float | str | tuple[int, ...]
ServerType = Literal["redis", "valkey", "dragonfly", "kividb"]

LIKE = {
    "redis": [(6, 2), (7, 0), (7, 2), (7, 4), (8, 0), (8, 2), (8, 4), (8, 6), (8, 8), (8, 10)],
    "valkey": [(8, 1), (9, 0), (9, 1)],
    "dragonfly": [],
    "kividb": [],
}


def parts(version: Version) -> tuple[int, ...]:
    """Return a version such as 7, "7.2" or (7, 2) as a tuple of numbers."""
    try:
        return tuple(map(int, version if isinstance(version, tuple | list) else str(version).split(".")))
    except ValueError:
        raise ValueError(f"not a version: {version!r}") from None


def like(version: Version | None, server_type: ServerType) -> str | None:
    """Return the release that is as near as it can be; None for the server as it is by itself, which has the commands of all.

    A major number alone is its newest release. Else it is the newest release that is not newer, or the oldest that there is.
    """
    if server_type not in LIKE:
        raise ValueError(f"Unsupported server type: {server_type}")
    known = LIKE[server_type]
    if not known or (version is None and server_type == "redis"):
        return None
    wanted = (99,) if version is None else parts(version)
    not_newer = [release for release in known if release[: len(wanted)] <= wanted[:2]]
    return f"{server_type}:" + ".".join(map(str, max(not_newer, default=known[0])))
