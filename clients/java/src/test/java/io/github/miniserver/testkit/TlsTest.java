package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SslOptions;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.params.SetParams;

/** The code of docs/start/tls.md, which shows these methods as they are. */
class TlsTest {
  @Test
  void sessionOverTls() {
    try (var server = Server.start("--tls-self-signed"); var world = server.world();
        var client = new Jedis(world.url(), server.tls().getSocketFactory(), null, null)) {
      client.set("session", "alice", SetParams.setParams().ex(3600));
      world.clock().advance(Duration.ofHours(1));
      assertFalse(client.exists("session"));
    }
  }

  @Test
  void lettuceOverTls(@TempDir Path folder) throws Exception {
    try (var server = Server.start("--tls-self-signed"); var world = server.world()) {
      Path file = Files.writeString(folder.resolve("ca.pem"), server.certificate());
      var client = RedisClient.create(world.url().toString());
      client.setOptions(ClientOptions.builder().sslOptions(SslOptions.builder().trustManager(file.toFile()).build()).build());
      try (var connection = client.connect()) {
        assertEquals("PONG", connection.sync().ping());
      }
      client.shutdown();
    }
  }

  @Test
  void aCertificateOfAnotherServer() {
    try (var server = Server.start("--tls-self-signed"); var other = Server.start("--tls-self-signed"); var world = server.world()) {
      var sockets = other.tls().getSocketFactory();
      assertThrows(JedisConnectionException.class, () -> new Jedis(world.url(), sockets, null, null).close());
    }
  }

  /** As a container has one in its network. */
  @Test
  void anotherNameOfTheServer() throws Exception {
    try (var server = Server.start("--tls-self-signed"); var attached = Server.attach(server.url());
        var plain = new Socket(attached.host(), attached.port());
        var socket = (SSLSocket) attached.tls().getSocketFactory().createSocket(plain, "redis.test", attached.port(), true)) {
      assertEquals(server.certificate(), attached.certificate());
      SSLParameters parameters = socket.getSSLParameters();
      parameters.setEndpointIdentificationAlgorithm("HTTPS");
      socket.setSSLParameters(parameters);
      socket.startHandshake();
    }
  }
}
