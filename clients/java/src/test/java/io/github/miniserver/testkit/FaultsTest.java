package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.redisson.Redisson;
import org.redisson.api.RScript;
import org.redisson.client.RedisException;
import org.redisson.client.RedisOutOfMemoryException;
import org.redisson.client.RedisResponseTimeoutException;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisNoScriptException;
import redis.clients.jedis.providers.PooledConnectionProvider;

/** What Jedis, Lettuce and Redisson do when a fault strikes: a row for each of its effects. */
@ExtendWith(MiniserverExtension.class)
class FaultsTest {
  private static final String LUA = "return redis.call('INCR', KEYS[1])";

  /** A client that counts orders. */
  interface Client extends AutoCloseable {
    long count();

    /** Counts by EVALSHA. */
    long countByScript();

    @Override
    void close();
  }

  /** Libraries, as these tests configure them. */
  enum Library {
    JEDIS(FaultsTest::jedis), // a new connection for the next command
    JEDIS_RETRYING(FaultsTest::jedisRetrying), // sends again on a new connection
    LETTUCE(FaultsTest::lettuce), // connects again, and sends again what has no reply
    REDISSON(FaultsTest::redisson); // sends again also what a server cannot do now

    final Function<World, Client> connect;

    Library(Function<World, Client> connect) {
      this.connect = connect;
    }
  }

  /**
   * A row of the table.
   *
   * @param fault what follows DO
   * @param outcome the reply, or a {@link Failure}
   * @param hits of the fault
   * @param orders how many are counted in the end
   */
  record Case(String fault, Library library, Object outcome, long hits, long orders) {
    @Override
    public String toString() {
      return library + ": " + fault;
    }
  }

  /** An exception: its class, and how its message starts. */
  record Failure(Class<? extends Exception> error, String message) {}

  static Stream<Case> cases() {
    return Stream.of(
        new Case("ERROR nonsense", Library.JEDIS_RETRYING, new Failure(JedisDataException.class, "nonsense"), 1, 0),
        new Case("ERROR nonsense", Library.LETTUCE, new Failure(RedisCommandExecutionException.class, "nonsense"), 1, 0),
        new Case("ERROR nonsense", Library.REDISSON, new Failure(RedisException.class, "nonsense"), 1, 0),
        new Case("ERROR TRYAGAIN TIMES 2", Library.REDISSON, 1L, 2, 1),
        new Case("DELAY 1000", Library.JEDIS, new Failure(JedisConnectionException.class, ""), 1, 0),
        new Case("DELAY 1000 TIMES 1", Library.JEDIS_RETRYING, 1L, 1, 1),
        new Case("DELAY 1000", Library.LETTUCE, new Failure(RedisCommandTimeoutException.class, ""), 1, 0),
        new Case("DELAY 1000", Library.REDISSON, new Failure(RedisResponseTimeoutException.class, ""), 1, 0),
        new Case("DROP TIMES 1", Library.JEDIS, new Failure(JedisConnectionException.class, ""), 1, 0),
        new Case("DROP TIMES 1", Library.JEDIS_RETRYING, 1L, 1, 1),
        new Case("DROP TIMES 2", Library.LETTUCE, 1L, 2, 1),
        new Case("LOST-REPLY TIMES 1", Library.JEDIS, new Failure(JedisConnectionException.class, ""), 1, 1),
        new Case("LOST-REPLY TIMES 1", Library.JEDIS_RETRYING, 2L, 1, 2),
        new Case("LOST-REPLY TIMES 1", Library.LETTUCE, 2L, 1, 2),
        new Case("HALF-REPLY TIMES 1", Library.JEDIS_RETRYING, 2L, 1, 2),
        new Case("HALF-REPLY TIMES 1", Library.LETTUCE, 2L, 1, 2),
        new Case("LOADING", Library.JEDIS_RETRYING, new Failure(JedisDataException.class, "LOADING"), 1, 0),
        new Case("LOADING", Library.LETTUCE, new Failure(RedisLoadingException.class, "LOADING"), 1, 0),
        new Case("LOADING TIMES 2", Library.REDISSON, 1L, 2, 1),
        new Case("READONLY", Library.JEDIS_RETRYING, new Failure(JedisDataException.class, "READONLY"), 1, 0),
        new Case("READONLY", Library.LETTUCE, new Failure(RedisReadOnlyException.class, "READONLY"), 1, 0),
        new Case("READONLY TIMES 2", Library.REDISSON, 1L, 2, 1),
        new Case("MASTERDOWN", Library.JEDIS_RETRYING, new Failure(JedisDataException.class, "MASTERDOWN"), 1, 0),
        new Case("MASTERDOWN", Library.LETTUCE, new Failure(RedisCommandExecutionException.class, "MASTERDOWN"), 1, 0),
        new Case("MASTERDOWN TIMES 2", Library.REDISSON, 1L, 2, 1),
        new Case("OOM", Library.JEDIS_RETRYING, new Failure(JedisDataException.class, "OOM"), 1, 0),
        new Case("OOM", Library.LETTUCE, new Failure(RedisCommandExecutionException.class, "OOM"), 1, 0),
        new Case("OOM", Library.REDISSON, new Failure(RedisOutOfMemoryException.class, "command not allowed when used memory"), 1, 0),
        new Case("NOSCRIPT TIMES 1", Library.JEDIS_RETRYING, new Failure(JedisNoScriptException.class, "NOSCRIPT"), 1, 0),
        new Case("NOSCRIPT TIMES 1", Library.LETTUCE, new Failure(RedisNoScriptException.class, "NOSCRIPT"), 1, 0),
        new Case("NOSCRIPT TIMES 1", Library.REDISSON, 1L, 1, 1)); // it loads the script again
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("cases")
  void aClient(Case row, World world) throws Exception {
    world.clock().freeze();
    try (var client = row.library.connect.apply(world)) {
      client.countByScript();
      world.command("SET", "orders", 0);
      boolean script = row.fault.startsWith("NOSCRIPT");
      var words = Stream.concat(Stream.of("ON", "COMMAND", script ? "evalsha" : "incr", "DO"), Stream.of(row.fault.split(" ")));
      world.faults().add("it", words.toArray());
      Callable<Long> action = script ? client::countByScript : client::count;
      if (row.outcome instanceof Failure failure) {
        var error = assertThrows(failure.error, action::call);
        assertEquals(failure.error, error.getClass());
        assertTrue(error.getMessage().startsWith(failure.message), error.getMessage());
      } else {
        assertEquals(row.outcome, action.call());
      }
      assertEquals(row.hits, world.faults().list().get(0).hits());
      assertEquals("" + row.orders, world.command("GET", "orders"));
    }
  }

  private static DefaultJedisClientConfig login(World world) {
    return DefaultJedisClientConfig.builder().user(world.username()).password(world.password()).socketTimeoutMillis(1000).build();
  }

  private static HostAndPort address(World world) {
    return new HostAndPort(world.host(), world.port());
  }

  private static Client jedis(World world) {
    return jedis(new UnifiedJedis(address(world), login(world)));
  }

  private static Client jedisRetrying(World world) {
    return jedis(new UnifiedJedis(new PooledConnectionProvider(address(world), login(world)), 3, Duration.ofSeconds(3)));
  }

  private static Client jedis(UnifiedJedis client) {
    String sha = client.scriptLoad(LUA);
    return new Client() {
      @Override
      public long count() {
        return client.incr("orders");
      }

      @Override
      public long countByScript() {
        return (Long) client.evalsha(sha, 1, "orders");
      }

      @Override
      public void close() {
        client.close();
      }
    };
  }

  private static RedisURI uri(World world) {
    return RedisURI.builder().withHost(world.host()).withPort(world.port()).withAuthentication(world.username(), world.password()).build();
  }

  private static Client lettuce(World world) {
    var library = RedisClient.create(uri(world));
    var connection = library.connect();
    connection.setTimeout(Duration.ofSeconds(1));
    var commands = connection.sync();
    String sha = commands.scriptLoad(LUA);
    return new Client() {
      @Override
      public long count() {
        return commands.incr("orders");
      }

      @Override
      public long countByScript() {
        return commands.evalsha(sha, ScriptOutputType.INTEGER, "orders");
      }

      @Override
      public void close() {
        library.shutdown(Duration.ZERO, Duration.ofSeconds(10));
      }
    };
  }

  private static Client redisson(World world) {
    var config = new Config().setUseScriptCache(true);
    config.useSingleServer().setAddress("redis://" + address(world)).setUsername(world.username()).setPassword(world.password())
        .setConnectionMinimumIdleSize(1).setSubscriptionConnectionMinimumIdleSize(0)
        .setTimeout(1000).setRetryAttempts(20).setRetryInterval(100);
    var client = Redisson.create(config);
    return new Client() {
      @Override
      public long count() {
        return client.getAtomicLong("orders").incrementAndGet();
      }

      @Override
      public long countByScript() {
        return client.getScript(StringCodec.INSTANCE).eval(RScript.Mode.READ_WRITE, LUA, RScript.ReturnType.INTEGER, List.of("orders"));
      }

      @Override
      public void close() {
        client.shutdown(0, 10, TimeUnit.SECONDS);
      }
    };
  }

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

  /** A slot that moves to another node. */
  private static final class Move implements AutoCloseable {
    final World here = old.world();
    final World there = fresh.world(here.name());

    void begin(String how) {
      here.faults().add("it", "ON", "KEY", "{user:7}*", "DO", how, fresh.host() + ":" + fresh.port());
    }

    /** Two commands have gone to the new node, by way of the old one, since that has all slots by its own account. */
    void check() {
      assertEquals(2, here.faults().list().get(0).hits());
      assertEquals("2", there.command("GET", "{user:7}:orders"));
      assertEquals(List.of("{user:7}:cart"), here.command("KEYS", "*"));
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
    try (var move = new Move(); var client = new JedisCluster(Set.of(address(move.here)), login(move.here))) {
      client.set("{user:7}:cart", "shoes");
      move.begin(how);
      assertEquals(1, client.incr("{user:7}:orders"));
      assertEquals(2, client.incr("{user:7}:orders"));
      move.check();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED", "ASK"})
  void lettuceFollows(String how) {
    try (var move = new Move()) {
      var client = RedisClusterClient.create(uri(move.here));
      client.setOptions(ClusterClientOptions.builder().validateClusterNodeMembership(false).build()); // the first node does not know the second
      try (var connection = client.connect()) {
        connection.sync().set("{user:7}:cart", "shoes");
        move.begin(how);
        assertEquals(1, connection.sync().incr("{user:7}:orders"));
        assertEquals(2, connection.sync().incr("{user:7}:orders"));
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
      var config = new Config();
      config.useClusterServers().addNodeAddress("redis://" + address(world)).setUsername(world.username()).setPassword(world.password());
      var client = Redisson.create(config);
      try {
        old.command("MINI.COMMANDS", "RESET");
        world.faults().add("it", "ON", "COMMAND", "incr", "DO", how, address(world), "TIMES", 1);
        assertEquals(1, client.getAtomicLong("orders").incrementAndGet());
        assertEquals(1, world.faults().list().get(0).hits());
        assertEquals(how.equals("ASK"), ((List<?>) old.command("MINI.COMMANDS")).contains("asking 1"));
      } finally {
        client.shutdown(0, 10, TimeUnit.SECONDS);
      }
    }
  }

  /** The tests have all effects that the server knows. */
  @Test
  void everyEffectIsHere(Server server) {
    var docs = fields(((List<?>) server.command("COMMAND", "DOCS", "mini.fault|add")).get(1));
    var known = new HashSet<Object>();
    for (Object argument : (List<?>) docs.get("arguments")) {
      if (fields(argument).get("name").equals("effect")) {
        ((List<?>) fields(argument).get("arguments")).forEach(choice -> known.add(fields(choice).get("token")));
      }
    }
    assertEquals(12, known.size());
    var here = new HashSet<Object>(Set.of("MOVED", "ASK"));
    cases().forEach(row -> here.add(row.fault.split(" ")[0]));
    assertEquals(known, here);
  }

  /** Returns a map for a reply that has names and their values by turns. */
  private static Map<Object, Object> fields(Object reply) {
    var list = (List<?>) reply;
    Map<Object, Object> map = new HashMap<>();
    for (int i = 0; i < list.size(); i += 2) {
      map.put(list.get(i), list.get(i + 1));
    }
    return map;
  }
}
