import os

from miniserver_testkit import Server


def pytest_configure(config):
    if not hasattr(config, "workerinput") and "MINISERVER_URL" not in os.environ:
        config.miniserver = Server()
        os.environ["MINISERVER_URL"] = config.miniserver.url  # the workers inherit it
