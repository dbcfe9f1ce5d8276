package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisCluster;

/** A cluster in one process, with Jedis: a master fails, slots move, a write is lost. */
class ClusterTest {
  private Cluster cluster;
  private JedisCluster client;

  @BeforeEach
  void start() {
    cluster = Cluster.start(3, 1);
    client = new JedisCluster(Set.of(HostAndPort.from(cluster.addresses().get(0))));
    for (int n = 0; n < 100; n++) {
      client.set("key:" + n, "" + n);
    }
  }

  @AfterEach
  void end() {
    client.close();
    cluster.close();
  }

  private void hasAll() {
    for (int n = 0; n < 100; n++) {
      assertEquals("" + n, client.get("key:" + n));
    }
  }

  @Test
  void masterFails() {
    String master = cluster.addresses().get(1);
    cluster.kill(master);
    cluster.clock().advance(Duration.ofSeconds(16)); // the timeout is 15 seconds
    cluster.cont(master);
    hasAll();
  }

  @Test
  void slotsMove() {
    cluster.move(cluster.addresses().get(2), "0-500", "501");
    hasAll();
  }

  @Test
  void writeIsLost() {
    String master = cluster.addresses().get(2); // of the slot of foo
    client.set("foo", "old");
    cluster.lose(master);
    client.set("foo", "new");
    cluster.failover(master);
    assertEquals("old", client.get("foo"));
  }
}
