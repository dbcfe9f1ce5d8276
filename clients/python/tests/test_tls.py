"""The code of docs/start/tls.md, which shows these functions as they are."""

import socket
import ssl

import pytest
import redis
from miniserver_testkit import Server


@pytest.fixture(scope="session")
def secure():
    with Server(tls=True) as server:
        yield server


def test_a_session_over_tls(secure, tmp_path):
    with secure.world() as world:
        client = redis.from_url(world.url, ssl_ca_data=secure.certificate)
        client.set("session", "alice", ex=3600)
        world.clock.advance(hours=1)
        assert client.get("session") is None

        file = tmp_path / "ca.pem"  # for Celery and others that want one
        file.write_text(secure.certificate)
        assert redis.from_url(world.url, ssl_ca_certs=file).ping()


def test_a_certificate_of_another_server(secure):
    with Server(tls=True) as other, secure.world() as world:
        with pytest.raises(redis.ConnectionError, match="CERTIFICATE_VERIFY_FAILED"):
            redis.from_url(world.url, ssl_ca_data=other.certificate).ping()


def test_another_name_of_the_server(secure):
    """As a container has one in its network."""
    context = ssl.create_default_context(cadata=secure.certificate)
    with Server(url=secure.url) as attached, socket.create_connection((attached.host, attached.port)) as plain:
        assert attached.certificate == secure.certificate
        with context.wrap_socket(plain, server_hostname="redis.test") as connection:
            assert connection.getpeercert()["subjectAltName"] == (("DNS", "redis.test"),)
