package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisSentineled;

/** Jedis and Redisson find the next master when real Sentinels have replaced one that was killed. */
class FailoverTest {
  private Server master;
  private Server replica;
  private Process supervisors;
  private List<Integer> sentinels;

  @BeforeEach
  void start() throws Exception {
    boolean installed = Stream.of(System.getenv("PATH").split(":")).anyMatch(dir -> Files.exists(Path.of(dir, "redis-sentinel")));
    assumeTrue(installed, "redis-sentinel is not installed");
    master = Server.start();
    replica = Server.start("--replicaof", "127.0.0.1 " + master.port());
    supervisors = new ProcessBuilder("../testdata/sentinels", "" + master.port()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String ports = new BufferedReader(new InputStreamReader(supervisors.getInputStream())).readLine();
    sentinels = Arrays.stream(ports.split(" ")).map(Integer::valueOf).toList();
  }

  @AfterEach
  void end() throws Exception {
    if (supervisors != null) {
      supervisors.getOutputStream().close();
      supervisors.waitFor();
      master.close();
      replica.close();
    }
  }

  @Test
  void jedis() throws Exception {
    var addresses = sentinels.stream().map(port -> new HostAndPort("127.0.0.1", port)).collect(Collectors.toSet());
    var none = DefaultJedisClientConfig.builder().build();
    try (var client = new JedisSentineled("mymaster", none, addresses, none)) {
      client.set("before", "1");
      killMaster();
      untilItWorks(() -> client.set("after", "2"));
      assertEquals(List.of("1", "2"), client.mget("before", "after"));
      requireNext();
    }
  }

  @Test
  void redisson() throws Exception {
    var config = new Config().setCodec(StringCodec.INSTANCE);
    config.useSentinelServers().setMasterName("mymaster").setScanInterval(200).setReadMode(ReadMode.MASTER)
        .addSentinelAddress(sentinels.stream().map(port -> "redis://127.0.0.1:" + port).toArray(String[]::new));
    var client = Redisson.create(config);
    try {
      client.getBucket("before").set("1");
      killMaster();
      untilItWorks(() -> {
        client.getBucket("after").set("2");
        return null;
      });
      assertEquals("1", client.getBucket("before").get());
      assertEquals("2", client.getBucket("after").get());
      requireNext();
    } finally {
      client.shutdown();
    }
  }

  /** Ends the master with signal 9, once the replica has what was written. */
  private void killMaster() throws Exception {
    untilItWorks(() -> {
      assertEquals("1", replica.command("GET", "before"));
      return null;
    });
    ProcessHandle.of(master.pid()).orElseThrow().destroyForcibly();
  }

  /** The replica is the master now. It has closed the connections that it had as a replica, as Sentinels want. */
  private void requireNext() {
    try (var client = new Jedis("127.0.0.1", replica.port())) {
      assertEquals("2", client.get("after"));
      assertEquals("master", client.role().get(0));
    }
  }

  /** Repeats an action until it succeeds. */
  private static void untilItWorks(Callable<?> action) throws Exception {
    for (long end = System.currentTimeMillis() + 60_000;; Thread.sleep(50)) {
      try {
        action.call();
        return;
      } catch (RuntimeException | AssertionError e) {
        if (System.currentTimeMillis() > end) {
          throw e;
        }
      }
    }
  }
}
