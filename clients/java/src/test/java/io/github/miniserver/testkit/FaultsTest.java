package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;

/** What clients do when faults strike: they connect again, send again, follow a slot that moves. */
@ExtendWith(MiniserverExtension.class)
class FaultsTest {
  private static Server old;
  private static Server fresh;

  @BeforeAll
  static void startNodes() {
    old = Server.start("--cluster-enabled", "yes");
    fresh = Server.start("--cluster-enabled", "yes");
  }

  @AfterAll
  static void endNodes() {
    old.close();
    fresh.close();
  }

  /** Lettuce connects again, and sends what has no reply again. */
  @ParameterizedTest
  @ValueSource(strings = {"LOST-REPLY", "HALF-REPLY"})
  void aLostReplyCountsTwice(String how, World world) {
    world.faults().add("lost", "ON", "COMMAND", "incr", "DO", how, "TIMES", 1);
    assertEquals(2L, incrementWithLettuce(world));
  }

  @Test
  void aDroppedCommandCountsOnce(World world) {
    world.faults().add("drop", "ON", "COMMAND", "incr", "DO", "DROP", "TIMES", 1);
    assertEquals(1L, incrementWithLettuce(world));
  }

  private static long incrementWithLettuce(World world) {
    var client = RedisClient.create(lettuceUri(world));
    try (var connection = client.connect()) {
      return connection.sync().incr("orders");
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
  }

  @Test
  void loadingIsAnErrorOfItsOwn(World world) {
    var client = RedisClient.create(lettuceUri(world));
    try (var connection = client.connect()) {
      world.faults().add("loading", "ON", "COMMAND", "get", "DO", "LOADING", "TIMES", 1);
      assertThrows(RedisLoadingException.class, () -> connection.sync().get("k"));
      assertNull(connection.sync().get("k"));
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
  }

  /** Jedis leaves it to its caller to send again. */
  @Test
  void jedisTellsItsCaller(World world) {
    try (var client = new Jedis(world.url())) {
      for (String error : new String[] {"ERROR", "READONLY", "MASTERDOWN", "OOM"}) {
        if (error.equals("ERROR")) {
          world.faults().add("it", "ON", "COMMAND", "set", "DO", error, "ERR no luck");
        } else {
          world.faults().add("it", "ON", "COMMAND", "set", "DO", error);
        }
        assertThrows(JedisDataException.class, () -> client.set("k", "v"), error);
        world.faults().clear();
        assertEquals("OK", client.set("k", "v"));
      }
      String sha = client.scriptLoad("return 1");
      world.faults().add("forgotten", "ON", "COMMAND", "evalsha", "DO", "NOSCRIPT", "TIMES", 1);
      assertThrows(JedisNoScriptException.class, () -> client.evalsha(sha));
      assertEquals(1L, client.evalsha(sha));
      world.faults().add("drop", "ON", "COMMAND", "get", "DO", "DROP", "TIMES", 1);
      assertThrows(JedisConnectionException.class, () -> client.get("k"));
    }
  }

  @Test
  void aDelayPassesTheTimeout(World world) {
    var hasty = DefaultJedisClientConfig.builder().user(world.username()).password(world.name()).socketTimeoutMillis(50).build();
    try (var client = new Jedis(new HostAndPort(world.host(), world.port()), hasty)) {
      world.clock().freeze();
      world.faults().add("slow", "ON", "COMMAND", "get", "DO", "DELAY", 1000);
      assertThrows(JedisConnectionException.class, () -> client.get("k"));
    }
  }

  /** A slot that moves, as a fault plays it: its keys are to be on another node. */
  private static final class Move implements AutoCloseable {
    final World here = old.world();
    final World there = fresh.world(here.name());

    void begin(String how) {
      here.faults().add("moved", "ON", "KEY", "{user:7}*", "DO", how, fresh.host() + ":" + fresh.port());
    }

    void check() {
      here.faults().clear();
      assertEquals("1", there.command("GET", "{user:7}:orders"));
      assertEquals(0L, here.command("EXISTS", "{user:7}:orders"));
    }

    @Override
    public void close() {
      here.close();
      there.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED", "ASK"})
  void jedisFollows(String how) {
    try (var move = new Move()) {
      var login = DefaultJedisClientConfig.builder().user(move.here.username()).password(move.here.name()).build();
      try (var client = new JedisCluster(Set.of(new HostAndPort(move.here.host(), move.here.port())), login)) {
        client.set("{user:7}:cart", "shoes");
        move.begin(how);
        client.set("{user:7}:orders", "1");
        move.check();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED", "ASK"})
  void lettuceFollows(String how) {
    try (var move = new Move()) {
      var client = RedisClusterClient.create(lettuceUri(move.here));
      client.setOptions(ClusterClientOptions.builder().validateClusterNodeMembership(false).build()); // the first node does not know the second
      try (var connection = client.connect()) {
        connection.sync().set("{user:7}:cart", "shoes");
        move.begin(how);
        connection.sync().set("{user:7}:orders", "1");
        move.check();
      } finally {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
      }
    }
  }

  /** Redisson follows only to nodes that the cluster knows, so the slot comes back to the same one. */
  @ParameterizedTest
  @ValueSource(strings = {"MOVED", "ASK"})
  void redissonFollows(String how) {
    try (var world = old.world()) {
      var address = world.host() + ":" + world.port();
      var config = new Config();
      config.useClusterServers().addNodeAddress("redis://" + address).setUsername(world.username()).setPassword(world.name());
      var client = Redisson.create(config);
      try {
        world.faults().add("moved", "ON", "KEY", "{user:7}*", "DO", how, address, "TIMES", 1);
        client.getBucket("{user:7}:orders", StringCodec.INSTANCE).set("1");
        assertEquals("1", world.command("GET", "{user:7}:orders"));
        assertTrue(world.faults().list().toString().endsWith("hits, 1]]"), world.faults().list().toString());
      } finally {
        client.shutdown(0, 10, TimeUnit.SECONDS);
      }
    }
  }

  private static RedisURI lettuceUri(World world) {
    return RedisURI.builder().withHost(world.host()).withPort(world.port()).withAuthentication(world.username(), world.name()).build();
  }
}
