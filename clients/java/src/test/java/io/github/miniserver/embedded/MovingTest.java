package io.github.miniserver.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSentinelPool;

/** The examples of docs/start/embedded-redis.md. */
class MovingTest {
  @Test
  void aServer() throws IOException {
    RedisServer server = RedisServer.newRedisServer()
        .port(0) // a free one
        .setting("maxmemory 128M")
        .setting("like redis:6.2") // the release that embedded-redis has
        .build();
    server.start();
    try (var client = new Jedis("127.0.0.1", server.ports().get(0))) {
      client.set("session", "alice");
      assertTrue(client.info("server").contains("redis_version:6.2"));
    }
    server.stop();
  }

  @Test
  void aFailover() throws Exception {
    RedisCluster cluster = RedisCluster.newRedisCluster().ephemeral().sentinelCount(3).quorumSize(2)
        .withSentinelBuilder(RedisSentinel.newRedisSentinel().downAfterMilliseconds(200))
        .replicationGroup("orders", 1)
        .build();
    cluster.start();
    Set<String> sentinels = cluster.sentinelPorts().stream().map(port -> "127.0.0.1:" + port).collect(Collectors.toSet());
    try (var pool = new JedisSentinelPool("orders", sentinels)) {
      try (var client = pool.getResource()) {
        client.set("order:17", "shoes");
        client.waitReplicas(1, 1000);
      }
      int former = pool.getCurrentHostMaster().getPort();
      cluster.servers().get(0).stop();
      while (pool.getCurrentHostMaster().getPort() == former) {
        Thread.sleep(10);
      }
      try (var client = pool.getResource()) {
        assertEquals("shoes", client.get("order:17"));
      }
    }
    cluster.stop();
  }
}
