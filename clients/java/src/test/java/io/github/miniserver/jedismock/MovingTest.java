package io.github.miniserver.jedismock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.github.miniserver.jedismock.operations.server.MockExecutor;
import io.github.miniserver.jedismock.server.ServiceOptions;
import java.io.IOException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** The examples of docs/start/jedis-mock.md. */
class MovingTest {
  private RedisServer server;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.newRedisServer().start();
  }

  @AfterEach
  void stop() throws IOException {
    server.stop();
  }

  @Test
  void aLostConnection() {
    server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) ->
        name.equals("incr") ? MockExecutor.breakConnection(state) : MockExecutor.proceed(state, name, parameters)));
    try (var client = new Jedis(server.getHost(), server.getBindPort())) {
      client.set("orders", "17");
      assertThrows(JedisConnectionException.class, () -> client.incr("orders"));
    }
  }

  @Test
  void moreThanAMock() {
    try (var client = new Jedis(server.getHost(), server.getBindPort())) {
      client.setex("session", 3600, "alice");
      client.sendCommand(() -> "MINI.CLOCK".getBytes(), "ADVANCE", "3600000"); // milliseconds
      assertFalse(client.exists("session"));

      client.sendCommand(() -> "MINI.FAULT".getBytes(), "ADD", "full", "ON", "COMMAND", "set", "DO", "ERROR", "OOM no memory");
      assertEquals("OOM no memory", assertThrows(RuntimeException.class, () -> client.set("session", "bob")).getMessage());
    }
  }
}
