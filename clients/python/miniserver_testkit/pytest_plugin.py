"""Fixtures for pytest.

miniserver   the server of the test run: it starts with the first test that asks for it, unless it runs already and has a URL
world        a world of it for one test, named after the test; connect to world.url
async_world  the same, with coroutines for methods
"""

import os

import pytest

from .server import Server


def pytest_addoption(parser):
    parser.addoption(
        "--miniserver",
        metavar="PATH|URL",
        help="path of miniserver, or URL of one that runs; else what MINISERVER_URL or MINISERVER_BINARY says, or miniserver in PATH",
    )
    parser.addini("miniserver_options", "options of miniserver, such as --maxmemory 10mb", type="args", default=[])


@pytest.fixture(scope="session")
def miniserver(request):
    given = request.config.getoption("--miniserver") or ""
    url = given if "://" in given else not given and os.environ.get("MINISERVER_URL")
    options = [] if url else request.config.getini("miniserver_options")
    with Server(*options, binary=None if url else given, url=url or None) as server:
        yield server


@pytest.fixture
def world(miniserver, request):
    with miniserver.world(miniserver.fresh_name(request.node.name)) as world:
        yield world


@pytest.fixture
def async_world(miniserver, request):
    with miniserver.async_world(miniserver.fresh_name(request.node.name)) as world:
        yield world
