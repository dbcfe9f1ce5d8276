"""Fixtures for pytest.

miniserver   the server of the test run: it starts with the first test that asks for it
world        a world of it for one test, named after the test; connect to world.url
async_world  the same, with coroutines for methods
"""

import pytest

from .server import Server


def pytest_addoption(parser):
    parser.addoption("--miniserver", metavar="PATH", help="path of miniserver; else MINISERVER_BINARY, or miniserver in PATH")
    parser.addini("miniserver_options", "options of miniserver, such as --maxmemory 10mb", type="args", default=[])


@pytest.fixture(scope="session")
def miniserver(request):
    options = request.config.getini("miniserver_options")
    with Server(*options, binary=request.config.getoption("--miniserver")) as server:
        yield server


@pytest.fixture
def world(miniserver, request):
    with miniserver.world(miniserver.fresh_name(request.node.name)) as world:
        yield world


@pytest.fixture
def async_world(miniserver, request):
    with miniserver.async_world(miniserver.fresh_name(request.node.name)) as world:
        yield world
