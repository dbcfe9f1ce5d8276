import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.embedded.RedisCluster;
import redis.embedded.RedisSentinel;
import redis.embedded.RedisServer;
import redis.embedded.RedisShardedCluster;
import redis.embedded.core.ExecutableProvider;
import redis.embedded.core.PortProvider;
import redis.embedded.model.OS;
import redis.embedded.model.OsArchitecture;
import redis.embedded.model.ReplicationGroup;
import redis.embedded.model.Shard;

/** What is particular to the library: starting and stopping, ports, builders, errors. */
class LibraryTest {
  private static int freePort() {
    return PortProvider.newEphemeralPortProvider().get();
  }

  /** Returns a setting for a directory of its own: a server may find the data of another one otherwise. */
  private static String dir() throws IOException {
    return "dir " + Files.createTempDirectory(Path.of("target"), "redis").toAbsolutePath();
  }

  @Test
  void startAndStop() throws Exception {
    int port = freePort();
    var server = RedisServer.newRedisServer().port(port).setting(dir()).build();
    assertEquals(List.of(port), server.ports());
    assertFalse(server.isActive());
    server.stop();
    server.start();
    server.start();
    assertTrue(server.isActive());
    Jedis client = new Jedis("127.0.0.1", port);
    assertEquals("OK", client.set("k", "v"));
    server.stop();
    assertThrows(JedisConnectionException.class, client::ping);
    server.stop();
    assertFalse(server.isActive());
    server.start();
    try (Jedis again = new Jedis("localhost", port)) {
      assertEquals("PONG", again.ping());
    }
    server.stop();
  }

  @Test
  void whatDoesNotStart() throws Exception {
    int port = freePort();
    var first = RedisServer.newRedisServer().port(port).setting(dir()).build();
    first.start();
    var second = RedisServer.newRedisServer().port(port).setting(dir()).build();
    assertTrue(assertThrows(IOException.class, second::start).getMessage().startsWith("Failed to start Redis service"));
    assertFalse(second.isActive());
    first.stop();
    second.start();
    second.stop();
    assertThrows(IOException.class, RedisServer.newRedisServer().port(freePort()).setting("nosuch 5").build()::start);
    assertThrows(IOException.class, RedisServer.newRedisServer().port(70000).build()::start);
    assertThrows(NoSuchFileException.class, () -> RedisServer.newRedisServer().configFile("/nosuch/redis.conf"));
  }

  @Test
  void settingsOfManyLines() throws Exception {
    int port = freePort();
    var server = RedisServer.newRedisServer().port(port).setting(dir()).setting("""
        # for this test
        maxmemory 5mb

        maxmemory-policy allkeys-lru
        """).build();
    server.start();
    try (Jedis client = new Jedis("127.0.0.1", port)) {
      assertEquals("5242880", client.configGet("maxmemory").get("maxmemory"));
      assertEquals("allkeys-lru", client.configGet("maxmemory-policy").get("maxmemory-policy"));
      client.sendCommand(() -> "DEBUG".getBytes(), "SLEEP", "0");
      client.configSet("dir", client.configGet("dir").get("dir"));
    }
    server.stop();
  }

  @Test
  void aReplica() throws Exception {
    int port = freePort();
    var master = RedisServer.newRedisServer().port(port).setting(dir()).setting("repl-diskless-sync-delay 0").build();
    var replica = RedisServer.newRedisServer().port(freePort()).setting(dir()).slaveOf("127.0.0.1", port).settingIf(false, "nosuch 5").build();
    master.start();
    replica.start();
    try (Jedis client = new Jedis("127.0.0.1", port)) {
      client.set("k", "v");
      assertEquals(1, client.waitReplicas(1, 10_000));
    }
    try (Jedis client = new Jedis("127.0.0.1", replica.ports().get(0))) {
      assertEquals("v", client.get("k"));
    }
    replica.stop();
    master.stop();
  }

  @Test
  void listenersGetTheLog() throws Exception {
    List<String> lines = Collections.synchronizedList(new ArrayList<>());
    var server = RedisServer.newRedisServer().port(freePort()).setting(dir()).soutListener(lines::add).serrListener(lines::add).build();
    server.start();
    server.stop();
    assertTrue(lines.stream().anyMatch(line -> line.toLowerCase().contains("ready to accept connections")), lines::toString);
  }

  @Test
  void ports() throws Exception {
    var predefined = PortProvider.newPredefinedPortProvider(List.of(1, 2));
    assertEquals(List.of(1, 2), List.of(predefined.get(), predefined.get()));
    assertEquals("Ran out of Redis ports", assertThrows(IllegalArgumentException.class, predefined::get).getMessage());
    var sequence = PortProvider.newSequencePortProvider();
    assertEquals(List.of(26379, 26380), List.of(sequence.get(), sequence.get()));
    assertEquals(5, PortProvider.newSequencePortProvider(5).get());
    assertTrue(PortProvider.newEphemeralPortProviderInRedisClusterRange().get() < PortProvider.REDIS_CLUSTER_MAX_PORT_EXCLUSIVE);
    assertEquals(List.of(6379), new RedisServer().ports());
    assertEquals(List.of(26379), RedisSentinel.newRedisSentinel().build().ports());
  }

  @Test
  void portsOfClusters() throws Exception {
    var plain = RedisCluster.newRedisCluster().replicationGroup("m", 2).build();
    assertEquals(List.of(6379, 6380, 6381), plain.serverPorts());
    assertEquals(List.of(26379), plain.sentinelPorts());
    var mixed = RedisCluster.newRedisCluster().serverPorts(List.of(7001, 7002)).replicationGroup("m", 1).serverPorts(List.of(7003))
        .replicationGroup("n", 0).sentinelPorts(List.of(7100, 7101)).build();
    assertEquals(List.of(7001, 7002, 7003), mixed.serverPorts());
    assertEquals(List.of(7100, 7101), mixed.sentinelPorts());
    assertEquals(List.of(7100, 7101, 7001, 7002, 7003), mixed.ports());
    assertEquals(List.of(26500, 26501),
        RedisCluster.newRedisCluster().ephemeralServers().sentinelStartingPort(26500).sentinelCount(2).build().sentinelPorts());
    assertThrows(IllegalArgumentException.class, () -> RedisCluster.newRedisCluster().serverPorts(List.of(7001)).replicationGroup("m", 1).build());
    var sharded = RedisShardedCluster.newRedisCluster().shard("m", 1).shard("n", 0).build();
    assertEquals(List.of(6379, 6380, 6381), sharded.serverPorts());
    assertEquals(6379, sharded.getPort());
    var group = new ReplicationGroup("m", 2, PortProvider.newSequencePortProvider(9));
    assertEquals("m 9 [10, 11]", group.masterName + " " + group.masterPort + " " + group.slavePorts);
    var shard = new Shard("m", 2, PortProvider.newSequencePortProvider(9));
    assertEquals("m 9 [10, 11]", shard.name + " " + shard.mainNodePort + " " + shard.replicaPorts);
  }

  @Test
  void aClusterWithSettings() throws Exception {
    var cluster = RedisCluster.newRedisCluster().ephemeral().withServerBuilder(RedisServer.newRedisServer().setting(dir()).setting("maxmemory 100mb"))
        .withSentinelBuilder(RedisSentinel.newRedisSentinel().downAfterMilliseconds(5000)).replicationGroup("m", 1).build();
    cluster.start();
    for (int port : cluster.serverPorts()) {
      try (Jedis client = new Jedis("127.0.0.1", port)) {
        assertEquals("104857600", client.configGet("maxmemory").get("maxmemory"));
      }
    }
    try (Jedis sentinel = new Jedis("127.0.0.1", cluster.sentinelPorts().get(0))) {
      assertEquals("5000", sentinel.sentinelMaster("m").get("down-after-milliseconds"));
      assertThrows(RuntimeException.class, () -> sentinel.set("k", "v"));
    }
    cluster.stop();
    assertFalse(cluster.isActive());
  }

  @Test
  void thisMachine() throws Exception {
    assertEquals(OS.detectOS(), OsArchitecture.detectOSandArchitecture().os);
    assertEquals(OS.detectOS().detectArchitecture(), OsArchitecture.detectOSandArchitecture().arch);
    assertEquals(new OsArchitecture(OS.UNIX, OsArchitecture.UNIX_AARCH64.arch), OsArchitecture.UNIX_AARCH64);
    assertNotEquals(OsArchitecture.UNIX_x86, OsArchitecture.WINDOWS_x86);
    assertEquals("sh", ExecutableProvider.newExecutableInPath("sh").get().getName());
    assertThrows(FileNotFoundException.class, () -> ExecutableProvider.newExecutableInPath("no-such-program").get());
  }
}
