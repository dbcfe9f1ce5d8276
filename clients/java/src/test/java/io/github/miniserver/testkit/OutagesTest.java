package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.ScriptOutputType;
import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What Jedis and Lettuce see of faults on some clients and of outages. */
@ExtendWith(MiniserverExtension.class)
class OutagesTest {
  private static Jedis worker(World world) {
    var client = new Jedis(world.url());
    client.clientSetname("worker-1");
    return client;
  }

  @ParameterizedTest
  @ValueSource(strings = {"ANY", "KEY k*", "COMMAND get", "CLIENT worker-*", "LIB-NAME jedis*", "ADDR 127.0.0.1:*", "USER default", "ANY ID %d"})
  void whichClients(String on, World world) {
    try (var client = worker(world)) {
      var words = ("ON " + on.formatted(client.clientId()) + " DO ERROR no").split(" ");
      world.faults().add("f", (Object[]) words);
      assertThrows(JedisDataException.class, () -> client.get("k"));
      assertEquals(1, world.faults().list().get(0).hits());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ANY", "COMMAND evalsha", "KEY n"})
  void scriptsAreStruck(String on, World world) {
    var client = RedisClient.create(world.url().toString());
    try (var connection = client.connect()) {
      var count = connection.sync().scriptLoad("return redis.call('INCR', KEYS[1])");
      world.faults().add("f", (Object[]) ("ON " + on + " DO ERROR no").split(" "));
      assertThrows(RedisCommandExecutionException.class, () -> connection.sync().evalsha(count, ScriptOutputType.INTEGER, "n"));
      world.faults().clear();
      assertEquals(0L, world.command("EXISTS", "n"));
    }
    client.shutdown();
  }

  @ParameterizedTest
  @ValueSource(strings = {"CUT", "DOWN"})
  void aServerThatIsGone(String outage) {
    try (var server = Server.start(); var world = server.world(); var client = worker(world)) {
      client.set("k", "v");
      world.outage().begin(outage);
      assertThrows(JedisConnectionException.class, () -> client.get("k"));
      var error = assertThrows(JedisConnectionException.class, () -> worker(world).close());
      assertEquals(outage.equals("DOWN"), error.getSuppressed().length > 0 && error.getSuppressed()[0] instanceof ConnectException);
      var lettuce = RedisClient.create(world.url().toString());
      assertThrows(RedisConnectionException.class, lettuce::connect);
      world.outage().end();
      try (var again = lettuce.connect()) {
        assertEquals("v", again.sync().get("k"));
      }
      lettuce.shutdown();
    }
  }

  @Test
  void newClientsAreRefused(World world) {
    try (var client = worker(world)) {
      world.outage().begin("REFUSE");
      assertEquals("PONG", client.ping());
      assertThrows(JedisConnectionException.class, () -> worker(world).close());
      assertEquals(1, world.outage().struck());
      world.outage().end();
      worker(world).close();
    }
  }

  @Test
  void aServerThatHangs(World world) throws Exception {
    try (var client = worker(world)) {
      client.set("n", "1");
      world.outage().begin("HANG", "ON", "CLIENT", "worker-*", "FOR", "5s");
      var hanging = CompletableFuture.supplyAsync(() -> client.incr("n"));
      world.waitForOutage(1);
      assertEquals("1", world.command("GET", "n"));
      world.clock().advance("5s");
      assertEquals(2L, hanging.get());
    }
  }
}
