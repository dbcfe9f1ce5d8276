package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.Redisson;
import org.redisson.api.BatchOptions;
import org.redisson.api.RScript;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisSentineled;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisException;

/** Jedis, Lettuce and Redisson in cluster mode and in Sentinel mode: a pipeline, a script, a subscription. */
@ExtendWith(MiniserverExtension.class)
class ModesTest {
  private static final String ADD = "return redis.call('INCRBY', KEYS[1], ARGV[1])";
  private static final String COUNTER = "{alice}:visits";

  private static Server node;

  @BeforeAll
  static void startNode() {
    node = Server.start("--cluster-enabled", "yes");
  }

  @AfterAll
  static void endNode() {
    node.close();
  }

  @Test
  void jedisCluster() throws Exception {
    try (var world = node.world();
        var client = new JedisCluster(Set.of(new HostAndPort(world.host(), world.port())), login(world))) {
      useJedis(client);
      assertEquals(1, client.getClusterNodes().size());
      assertEquals("7", world.command("GET", "key:7"));
    }
  }

  @Test
  void jedisSentinel(World world) throws Exception {
    var sentinels = Set.of(new HostAndPort(world.host(), world.port()));
    try (var client = new JedisSentineled("mymaster", login(world), sentinels, login(world))) {
      useJedis(client);
      assertEquals("7", world.command("GET", "key:7"));
    }
    assertThrows(JedisException.class, () -> new JedisSentineled("other", login(world), sentinels, login(world)).close());
  }

  private static DefaultJedisClientConfig login(World world) {
    return DefaultJedisClientConfig.builder().user(world.username()).password(world.password()).build();
  }

  private static void useJedis(UnifiedJedis client) throws Exception {
    try (var pipeline = client.pipelined()) {
      IntStream.range(0, 10).forEach(n -> pipeline.set("key:" + n, "" + n));
      var seven = pipeline.get("key:7");
      pipeline.sync();
      assertEquals("7", seven.get());
    }

    String sha = client.scriptLoad(ADD, COUNTER);
    assertEquals(5L, client.evalsha(sha, 1, COUNTER, "5"));
    assertEquals(10L, client.eval(ADD, List.of(COUNTER), List.of("5")));

    var received = new CompletableFuture<String>();
    var listening = new CompletableFuture<Void>();
    var listener = new JedisPubSub() {
      @Override
      public void onSubscribe(String channel, int count) {
        listening.complete(null);
      }

      @Override
      public void onMessage(String channel, String message) {
        received.complete(message);
        unsubscribe();
      }
    };
    var subscription = CompletableFuture.runAsync(() -> client.subscribe(listener, "news"));
    listening.get();
    client.publish("news", "hello");
    assertEquals("hello", received.get());
    subscription.get();
  }

  @Test
  void lettuceCluster() throws Exception {
    try (var world = node.world()) {
      var client = RedisClusterClient.create(uri(world).build());
      try (var connection = client.connect(); var messages = client.connectPubSub()) {
        useLettuce(connection.async(), connection::setAutoFlushCommands, connection::flushCommands, messages);
        assertEquals(1, connection.getPartitions().size());
        assertEquals("7", world.command("GET", "key:7"));
      } finally {
        shutdown(client::shutdown);
      }
    }
  }

  @Test
  void lettuceSentinel(World world) throws Exception {
    var sentinel = uri(world).build();
    var client = RedisClient.create(RedisURI.builder().withSentinel(sentinel).withSentinelMasterId("mymaster")
        .withAuthentication(world.username(), world.password()).build());
    try (var connection = client.connect(); var messages = client.connectPubSub()) {
      useLettuce(connection.async(), connection::setAutoFlushCommands, connection::flushCommands, messages);
      assertEquals("7", world.command("GET", "key:7"));
    } finally {
      shutdown(client::shutdown);
    }
  }

  private static RedisURI.Builder uri(World world) {
    return RedisURI.builder().withHost(world.host()).withPort(world.port()).withAuthentication(world.username(), world.password());
  }

  /** Ends a client without the two quiet seconds that it takes by default. */
  private static void shutdown(Shutdown client) {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
  }

  private interface Shutdown {
    void shutdown(Duration quietPeriod, Duration timeout);
  }

  private static void useLettuce(RedisClusterAsyncCommands<String, String> commands, Consumer<Boolean> autoFlush, Runnable flush,
      StatefulRedisPubSubConnection<String, String> messages) throws Exception {
    // Until a cluster client has its connection to a node, it may send the commands of a pipeline in another order, or not send them.
    assertEquals(0L, commands.del(COUNTER).get());
    autoFlush.accept(false);
    IntStream.range(0, 10).forEach(n -> commands.set("key:" + n, "" + n));
    var seven = commands.get("key:7");
    flush.run();
    assertEquals("7", seven.get());
    autoFlush.accept(true);

    String[] keys = {COUNTER};
    String sha = commands.scriptLoad(ADD).get();
    assertEquals(5L, commands.<Long>evalsha(sha, ScriptOutputType.INTEGER, keys, "5").get());
    assertEquals(10L, commands.<Long>eval(ADD, ScriptOutputType.INTEGER, keys, "5").get());

    BlockingQueue<String> received = new LinkedBlockingQueue<>();
    messages.addListener(new RedisPubSubAdapter<>() {
      @Override
      public void message(String channel, String message) {
        received.add(message);
      }
    });
    messages.sync().subscribe("news");
    commands.publish("news", "hello").get();
    assertEquals("hello", received.poll(5, TimeUnit.SECONDS));
  }

  @Test
  void redissonCluster() throws Exception {
    try (var world = node.world()) {
      var config = new Config();
      config.useClusterServers().addNodeAddress(address(world)).setUsername(world.username()).setPassword(world.password());
      useRedisson(Redisson.create(config));
      assertEquals("7", world.command("GET", "key:7"));
    }
  }

  @Test
  void redissonSentinel(World world) throws Exception {
    var config = new Config();
    config.useSentinelServers().addSentinelAddress(address(world)).setMasterName("mymaster").setCheckSentinelsList(false)
        .setUsername(world.username()).setPassword(world.password())
        .setSentinelUsername(world.username()).setSentinelPassword(world.password());
    useRedisson(Redisson.create(config));
    assertEquals("7", world.command("GET", "key:7"));
  }

  private static String address(World world) {
    return "redis://" + world.host() + ":" + world.port();
  }

  private static void useRedisson(RedissonClient client) throws Exception {
    try {
      var batch = client.createBatch(BatchOptions.defaults());
      IntStream.range(0, 10).forEach(n -> batch.getBucket("key:" + n, StringCodec.INSTANCE).setAsync("" + n));
      var seven = batch.getBucket("key:7", StringCodec.INSTANCE).getAsync();
      batch.execute();
      assertEquals("7", seven.get());

      var script = client.getScript(StringCodec.INSTANCE);
      String sha = script.scriptLoad(ADD);
      Long first = script.evalSha(RScript.Mode.READ_WRITE, sha, RScript.ReturnType.INTEGER, List.of(COUNTER), "5");
      assertEquals(5L, first);
      Long second = script.eval(RScript.Mode.READ_WRITE, ADD, RScript.ReturnType.INTEGER, List.of(COUNTER), "5");
      assertEquals(10L, second);

      BlockingQueue<String> received = new LinkedBlockingQueue<>();
      var topic = client.getTopic("news", StringCodec.INSTANCE);
      topic.addListener(String.class, (channel, message) -> received.add(message));
      topic.publish("hello");
      assertEquals("hello", received.poll(5, TimeUnit.SECONDS));
    } finally {
      client.shutdown(0, 10, TimeUnit.SECONDS);
    }
  }
}
