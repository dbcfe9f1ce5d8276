package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** The commands that a world sends, seen by a client of another library. */
@ExtendWith(MiniserverExtension.class)
class WorldTest {
  @Test
  void clientsOfTheUrlAreInTheWorld(World world) {
    try (var client = new Jedis(world.url())) {
      client.set("color", "green");
      assertEquals("green", world.command("GET", "color"));
      assertTrue(world.name().contains("clientsOfTheUrl"));
    }
  }

  @Test
  void worldsShareNothing(World world) {
    world.command("SET", "color", "green");
    try (var other = world.server().world("name:?/&%")) {
      assertNull(other.command("GET", "color"));
      try (var client = new Jedis(other.url())) {
        assertFalse(client.exists("color"));
      }
    }
    assertThrows(ReplyException.class, () -> world.server().world("two words").command("PING"));
  }

  @Test
  void clock(World world) {
    world.clock().freeze();
    var at = Instant.parse("2030-01-01T00:00:00Z");
    assertEquals(at, world.clock().set(at));
    try (var client = new Jedis(world.url())) {
      client.set("session", "alice", SetParams.setParams().ex(3600));
      world.clock().advance(Duration.ofMillis(3_599_999));
      assertTrue(client.exists("session"));
      world.clock().advance(Duration.ofMillis(1));
      assertFalse(client.exists("session"));
    }
    assertEquals(at.plus(Duration.ofHours(1)), world.clock().now());
    world.clock().resume();
    world.clock().scale(1000);
    assertThrows(ReplyException.class, () -> world.clock().advance(Duration.ofMillis(-1)));
  }

  @Test
  void aWorkerTimesOut(World world) throws Exception {
    try (var client = new Jedis(world.host(), world.port(), 60_000)) {
      client.auth(world.username(), world.name());
      var worker = CompletableFuture.supplyAsync(() -> client.blpop(3600.0, "jobs"));
      world.waitForBlocked(1);
      world.clock().advance(Duration.ofHours(1));
      assertNull(worker.get());
    }
  }

  @Test
  void waiting(World world) throws Exception {
    var waiting = CompletableFuture.runAsync(() -> assertTimely(() -> world.waitForKey("k", "v")));
    world.command("SET", "k", "v");
    waiting.get();
    world.command("RPUSH", "list", "a", "b");
    world.waitForKey("k");
    world.waitForLength("list", 2);
    world.waitForSubscribers("news", 0);
    world.waitForQuiet(Duration.ofMillis(10));
    var late = assertThrows(TimeoutException.class, () -> world.waitFor(Duration.ofMillis(10), "KEY", "k", "w"));
    assertTrue(late.getMessage().endsWith("found \"v\""), late.getMessage());
  }

  @Test
  void snapshotRestoreFork(World world) {
    world.command("SET", "stock", 100);
    world.snapshot(world.name());
    try (var copy = world.fork()) {
      world.command("DECR", "stock");
      assertEquals("100", copy.command("GET", "stock"));
    }
    world.restore(world.name());
    assertEquals("100", world.command("GET", "stock"));
    world.reset();
    assertEquals(0L, world.command("DBSIZE"));
  }

  @Test
  void seed(World world) {
    world.command("SADD", "fruit", "apple", "banana", "cherry", "date", "elder");
    world.seed(42);
    Object first = world.command("SRANDMEMBER", "fruit", 3);
    world.seed(42);
    assertEquals(first, world.command("SRANDMEMBER", "fruit", 3));
  }

  @Test
  void dumpAndLeaks(World world) {
    world.mark("begin");
    world.command("ZADD", "board", 1, "ann");
    assertEquals("database 0\n\"board\" zset\n  \"ann\" 1\n", world.dump());
    assertEquals(List.of("key 0 \"board\" zset"), world.leaks("begin"));
  }

  interface Waiting {
    void run() throws TimeoutException;
  }

  private static void assertTimely(Waiting wait) {
    try {
      wait.run();
    } catch (TimeoutException e) {
      throw new AssertionError(e);
    }
  }
}
