import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSentinelPool;
import redis.embedded.RedisCluster;
import redis.embedded.RedisServer;
import redis.embedded.exceptions.EmbeddedRedisException;
import redis.embedded.exceptions.RedisBuildingException;
import redis.embedded.ports.EphemeralPortProvider;
import redis.embedded.ports.PredefinedPortProvider;
import redis.embedded.ports.SequencePortProvider;
import redis.embedded.util.JedisUtil;

/** A server, and a master with a replica and Sentinels, in the words of embedded-redis 0.x. */
class LibraryTest {
  /** Returns a setting for a directory of its own: a server may find the data of another one otherwise. */
  private static String dir() throws IOException {
    return "dir " + Files.createTempDirectory(Path.of("target"), "redis").toAbsolutePath();
  }

  @Test
  void startAndStop() throws IOException {
    int port = new EphemeralPortProvider().next();
    RedisServer server = RedisServer.builder().port(port).setting(dir()).build();
    assertEquals(List.of(port), server.ports());
    assertFalse(server.isActive());
    server.start();
    assertTrue(server.isActive());
    assertEquals("This redis server instance is already running...", assertThrows(EmbeddedRedisException.class, server::start).getMessage());
    try (Jedis jedis = new Jedis("localhost", port)) {
      jedis.lpush("queue", "a");
      assertEquals("a", jedis.rpop("queue"));
    }
    assertThrows(RuntimeException.class, new RedisServer(port)::start);
    server.stop();
    server.stop();
    assertFalse(server.isActive());
  }

  @Test
  void settings() throws IOException {
    int port = new EphemeralPortProvider().next();
    RedisServer server = RedisServer.builder().port(port).setting(dir()).setting("maxmemory 128M")
        .setting("daemonize no").setting("appendonly no").build();
    server.start();
    try (Jedis jedis = new Jedis("localhost", port)) {
      assertEquals("128000000", jedis.configGet("maxmemory").get("maxmemory"));
    }
    server.stop();
    assertThrows(RuntimeException.class, RedisServer.builder().port(port).setting("nosuch 5").build()::start);
    assertThrows(RedisBuildingException.class, () -> RedisServer.builder().configFile("/etc/hostname").setting("maxmemory 1mb"));
    assertThrows(RedisBuildingException.class, () -> RedisServer.builder().setting("maxmemory 1mb").configFile("/etc/hostname"));
  }

  @Test
  void ports() {
    var predefined = new PredefinedPortProvider(List.of(1));
    assertEquals(1, predefined.next());
    assertThrows(RedisBuildingException.class, predefined::next);
    var sequence = new SequencePortProvider();
    assertEquals(26379, sequence.next());
    sequence.setCurrentPort(5);
    assertEquals(5, sequence.next());
    assertEquals(6, sequence.next());
    assertEquals(Set.of("localhost:1", "localhost:2"), JedisUtil.portsToJedisHosts(List.of(1, 2)));
    assertThrows(RedisBuildingException.class, () -> RedisCluster.builder().serverPorts(List.of(7001)).replicationGroup("m", 1).build());
  }

  @Test
  void aCluster() throws IOException {
    RedisCluster cluster = RedisCluster.builder().ephemeral().sentinelCount(3).quorumSize(2).withServerBuilder(RedisServer.builder().setting(dir()))
        .replicationGroup("m", 1).build();
    cluster.start();
    try (var pool = new JedisSentinelPool("m", JedisUtil.sentinelHosts(cluster)); Jedis jedis = pool.getResource()) {
      assertEquals("OK", jedis.set("k", "v"));
      assertEquals(cluster.serverPorts().get(0), pool.getCurrentHostMaster().getPort());
      assertEquals(5, JedisUtil.jedisHosts(cluster).size());
      assertEquals(List.of(3, 2), List.of(cluster.sentinels().size(), cluster.servers().size()));
    }
    cluster.stop();
    assertFalse(cluster.isActive());
  }
}
