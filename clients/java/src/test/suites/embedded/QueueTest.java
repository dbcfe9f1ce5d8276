import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSentinelPool;
import redis.embedded.RedisCluster;
import redis.embedded.RedisServer;

/** A queue on a master with a replica, which Sentinels watch. */
class QueueTest {
  private RedisCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = RedisCluster.newRedisCluster()
        .ephemeral()
        .sentinelCount(3)
        .quorumSize(2)
        .withServerBuilder(RedisServer.newRedisServer().setting("dir " + Files.createTempDirectory(Path.of("target"), "redis").toAbsolutePath()))
        .replicationGroup("jobs", 1)
        .replicationGroup("mails", 0)
        .build();
    cluster.start();
  }

  @AfterEach
  void stop() throws IOException {
    cluster.stop();
    assertFalse(cluster.isActive());
  }

  @Test
  void workersFindTheMaster() throws Exception {
    assertTrue(cluster.isActive());
    assertEquals(List.of(3, 3, 6), List.of(cluster.sentinels().size(), cluster.servers().size(), cluster.ports().size()));
    Set<String> sentinels = cluster.sentinelPorts().stream().map(port -> "127.0.0.1:" + port).collect(Collectors.toSet());
    try (JedisSentinelPool jobs = new JedisSentinelPool("jobs", sentinels); JedisSentinelPool mails = new JedisSentinelPool("mails", sentinels)) {
      assertEquals(cluster.serverPorts().get(0), jobs.getCurrentHostMaster().getPort());
      assertEquals(cluster.serverPorts().get(2), mails.getCurrentHostMaster().getPort());
      try (Jedis jedis = jobs.getResource()) {
        jedis.lpush("queue", "a", "b");
        assertEquals("a", jedis.brpoplpush("queue", "doing", 1));
        assertEquals(1, jedis.waitReplicas(1, 10_000));
      }
      try (Jedis replica = new Jedis("127.0.0.1", cluster.serverPorts().get(1))) {
        assertEquals(List.of("a"), replica.lrange("doing", 0, -1));
        assertEquals("slave", replica.role().get(0));
      }
    }
    try (Jedis sentinel = new Jedis("127.0.0.1", cluster.sentinelPorts().get(1))) {
      assertEquals("127.0.0.1", sentinel.sentinelGetMasterAddrByName("jobs").get(0));
      assertEquals("2", sentinel.sentinelMaster("jobs").get("quorum"));
      assertNotNull(sentinel.sentinelMaster("mails").get("flags"));
      assertEquals(2, sentinel.sentinelMasters().size());
      assertEquals("sentinel", sentinel.role().get(0));
      String info = sentinel.info("sentinel");
      assertTrue(info.contains("sentinel_masters:2\r\n") && info.contains("name=mails,status=ok,address=127.0.0.1:"), info);
      assertEquals(null, sentinel.sentinelGetMasterAddrByName("nosuch"));
    }
  }
}
