package io.github.miniserver.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.miniserver.embedded.core.PortProvider;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.masterreplica.MasterReplica;
import java.io.IOException;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.Redisson;
import org.redisson.api.redisnode.RedisNodes;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.JedisSentinelPool;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/** What differs from embedded-redis, and attacks. What is the same is in src/test/suites/embedded. */
@Timeout(120) // seconds
@Execution(ExecutionMode.CONCURRENT)
class RedisTest {
  private static int freePort() {
    return PortProvider.newEphemeralPortProvider().get();
  }

  private static RedisCluster watched(int sentinels, int quorum, int replicas) throws IOException {
    return RedisCluster.newRedisCluster().ephemeral().sentinelCount(sentinels).quorumSize(quorum)
        .withSentinelBuilder(RedisSentinel.newRedisSentinel().downAfterMilliseconds(200)).replicationGroup("orders", replicas).build();
  }

  private static Set<String> addresses(List<Integer> ports) {
    return ports.stream().map(port -> "127.0.0.1:" + port).collect(Collectors.toSet());
  }

  @Test
  void theReasonIsToldIfAServerDoesNotStart() throws Exception {
    try (var taken = new ServerSocket(0)) {
      var server = RedisServer.newRedisServer().port(taken.getLocalPort()).bind("127.0.0.1").build();
      String message = assertThrows(IOException.class, server::start).getMessage();
      assertTrue(message.contains("Address already in use"), message);
    }
    var server = RedisServer.newRedisServer().port(freePort()).setting("nosuch 5").build();
    String message = assertThrows(IOException.class, server::start).getMessage();
    assertTrue(message.contains("unknown setting 'nosuch'"), message);
  }

  @Test
  void aFreePortIsChosen() throws Exception {
    var server = new RedisServer(0);
    assertEquals(List.of(0), server.ports());
    server.start();
    try (Jedis client = new Jedis("localhost", server.ports().get(0))) {
      client.set("k", "v");
    }
    server.stop();
    server.start();
    try (Jedis client = new Jedis("localhost", server.ports().get(0))) {
      assertNull(client.get("k")); // nothing was written to a file
    }
    server.stop();
  }

  @Test
  void allAddresses() throws Exception {
    var server = RedisServer.newRedisServer().port(freePort()).setting("bind 0.0.0.0").build();
    server.start();
    try (Jedis client = new Jedis("127.0.0.1", server.ports().get(0))) {
      assertEquals("PONG", client.ping());
    }
    server.stop();
  }

  @Test
  void threeSentinelsReplaceTheMaster() throws Exception {
    RedisCluster cluster = watched(3, 2, 2);
    cluster.start();
    try (var pool = new JedisSentinelPool("orders", addresses(cluster.sentinelPorts()))) {
      try (Jedis client = pool.getResource()) {
        client.set("k", "v");
        assertEquals(2, client.waitReplicas(2, 10_000));
      }
      int former = pool.getCurrentHostMaster().getPort();
      cluster.servers().get(0).stop();
      while (pool.getCurrentHostMaster().getPort() == former) { // the pool hears of it by a message
        Thread.sleep(10);
      }
      try (Jedis client = pool.getResource()) {
        assertEquals("v", client.get("k"));
        client.set("after", "v");
        assertEquals(1, client.waitReplicas(1, 10_000)); // the other replica follows
      }

      cluster.servers().get(0).start(); // it comes back, and becomes a replica
      awaitRole(former, "slave");
    }
    cluster.stop();
  }

  private static void awaitRole(int port, String role) throws InterruptedException {
    try (Jedis client = new Jedis("127.0.0.1", port)) {
      while (!client.role().get(0).equals(role)) {
        Thread.sleep(10);
      }
    }
  }

  @Test
  void sentinelsBelowTheQuorumDoNot() throws Exception {
    RedisCluster cluster = watched(1, 2, 1);
    cluster.start();
    try (Jedis sentinel = new Jedis("127.0.0.1", cluster.sentinelPorts().get(0))) {
      var where = sentinel.sentinelGetMasterAddrByName("orders");
      cluster.servers().get(0).stop();
      while (!sentinel.sentinelMaster("orders").get("flags").contains("o_down")) {
        Thread.sleep(10);
      }
      assertEquals(where, sentinel.sentinelGetMasterAddrByName("orders"));
      assertTrue(assertThrows(JedisDataException.class, () -> sentinel.sendCommand(() -> "SENTINEL".getBytes(), "CKQUORUM", "orders"))
          .getMessage().startsWith("NOQUORUM 1 usable"));
    }
    cluster.stop();
  }

  @Test
  void aFailoverOnDemand() throws Exception {
    RedisCluster cluster = watched(2, 1, 1);
    cluster.start();
    try (Jedis sentinel = new Jedis("127.0.0.1", cluster.sentinelPorts().get(0));
        Jedis other = new Jedis("127.0.0.1", cluster.sentinelPorts().get(1))) {
      var heard = new CompletableFuture<String>();
      var listening = new CompletableFuture<Void>();
      var listener = new JedisPubSub() {
        @Override
        public void onSubscribe(String channel, int count) {
          listening.complete(null);
        }

        @Override
        public void onMessage(String channel, String message) {
          heard.complete(message);
          unsubscribe();
        }
      };
      var subscription = CompletableFuture.runAsync(() -> other.subscribe(listener, "+switch-master"));
      listening.get(10, TimeUnit.SECONDS);
      List<Integer> ports = cluster.serverPorts();
      assertEquals("OK", sentinel.sentinelFailover("orders"));
      assertEquals("orders 127.0.0.1 " + ports.get(0) + " 127.0.0.1 " + ports.get(1), heard.get(10, TimeUnit.SECONDS));
      subscription.get(10, TimeUnit.SECONDS);
      assertEquals(List.of("127.0.0.1", "" + ports.get(1)), other.sentinelGetMasterAddrByName("orders"));
      awaitRole(ports.get(0), "slave");
      assertEquals("" + ports.get(0), other.sentinelReplicas("orders").get(0).get("port"));
      assertThrows(JedisDataException.class, () -> sentinel.sentinelFailover("nosuch"));
      assertThrows(JedisDataException.class, () -> sentinel.sentinelMonitor("a", "127.0.0.1", 1, 1));
      assertThrows(JedisDataException.class, () -> sentinel.sendCommand(() -> "SENTINEL".getBytes()));
    }
    cluster.stop();
  }

  @Test
  void lettuceReadsFromAReplica() throws Exception {
    RedisCluster cluster = watched(1, 1, 1);
    cluster.start();
    var client = RedisClient.create();
    var uri = RedisURI.Builder.sentinel("127.0.0.1", cluster.sentinelPorts().get(0), "orders").build();
    try (var connection = MasterReplica.connect(client, StringCodec.UTF8, uri)) {
      connection.setReadFrom(ReadFrom.REPLICA);
      connection.sync().set("k", "v");
      while (!"v".equals(connection.sync().get("k"))) {
        Thread.sleep(5);
      }
      assertTrue(connection.sync().info("replication").contains("role:slave"));
    } finally {
      client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
    cluster.stop();
  }

  @Test
  void redissonFollowsTheMaster() throws Exception {
    RedisCluster cluster = watched(2, 1, 1);
    cluster.start();
    var config = new Config().setCodec(org.redisson.client.codec.StringCodec.INSTANCE);
    config.useSentinelServers().setMasterName("orders").setScanInterval(100).setReadMode(ReadMode.MASTER)
        .addSentinelAddress(cluster.sentinelPorts().stream().map(port -> "redis://127.0.0.1:" + port).toArray(String[]::new));
    var client = Redisson.create(config);
    try {
      client.getBucket("k").set("v");
      try (Jedis sentinel = new Jedis("127.0.0.1", cluster.sentinelPorts().get(0))) {
        sentinel.sentinelFailover("orders");
      }
      String next = ":" + cluster.serverPorts().get(1);
      while (!client.getRedisNodes(RedisNodes.SENTINEL_MASTER_SLAVE).getMaster().toString().contains(next)) {
        Thread.sleep(10);
      }
      assertEquals("v", client.getBucket("k").get());
    } finally {
      client.shutdown(0, 10, TimeUnit.SECONDS);
    }
    cluster.stop();
  }

  @Test
  void aClusterThatDoesNotStartLeavesNothing() throws Exception {
    try (var taken = new ServerSocket(0)) {
      RedisCluster cluster = RedisCluster.newRedisCluster().ephemeralServers().sentinelPorts(List.of(taken.getLocalPort()))
          .replicationGroup("orders", 1).build();
      assertThrows(IOException.class, cluster::start);
      for (Redis server : cluster.servers()) {
        assertFalse(server.isActive());
        assertThrows(JedisException.class, () -> new Jedis("127.0.0.1", server.ports().get(0)).ping());
      }
    }
  }

  @Test
  void aShardedClusterHasOneNode() throws Exception {
    var cluster = RedisShardedCluster.newRedisCluster().ephemeral().shard("a", 1).shard("b", 1).shard("c", 1).build();
    assertThrows(IllegalStateException.class, RedisShardedCluster.newRedisCluster()::build);
    cluster.start();
    assertTrue(cluster.isActive());
    assertEquals(6, cluster.ports().size());
    for (int port : cluster.ports()) {
      try (JedisCluster client = new JedisCluster(new HostAndPort("127.0.0.1", port))) {
        client.set("key:" + port, "v");
        assertEquals("v", client.get("key:" + cluster.getPort()));
        assertEquals(Set.of("127.0.0.1:" + cluster.getPort()), client.getClusterNodes().keySet());
      }
    }
    cluster.stop();
    assertFalse(cluster.isActive());
    cluster.start();
    cluster.stop();
  }

  @Test
  void manyAtATime() throws Exception {
    List<RedisServer> servers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      servers.add(new RedisServer(0));
    }
    servers.parallelStream().forEach(server -> {
      try {
        server.start();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    });
    assertEquals(20, servers.stream().map(Redis::ports).distinct().count());
    for (RedisServer server : servers) {
      server.stop();
      assertFalse(server.isActive());
    }
  }

  @Test
  void passwords() throws Exception {
    RedisCluster cluster = RedisCluster.newRedisCluster().ephemeral()
        .withServerBuilder(RedisServer.newRedisServer().setting("requirepass secret").setting("masterauth secret"))
        .withSentinelBuilder(RedisSentinel.newRedisSentinel().setting("sentinel auth-pass orders secret").downAfterMilliseconds(200))
        .replicationGroup("orders", 1).build();
    cluster.start();
    try (Jedis sentinel = new Jedis("127.0.0.1", cluster.sentinelPorts().get(0));
        Jedis replica = new Jedis("127.0.0.1", cluster.serverPorts().get(1))) {
      replica.auth("secret");
      assertTrue(replica.info("replication").contains("master_link_status:up"));
      assertEquals(1, sentinel.sentinelReplicas("orders").size());
      cluster.servers().get(0).stop();
      awaitMaster(sentinel, cluster.serverPorts().get(1));
      assertNotEquals("slave", replica.role().get(0));
    }
    cluster.stop();
  }

  private static void awaitMaster(Jedis sentinel, int port) throws InterruptedException {
    while (!sentinel.sentinelGetMasterAddrByName("orders").get(1).equals("" + port)) {
      Thread.sleep(10);
    }
  }
}
