package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.miniserver.testkit.Chaos.Whim;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;
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
    assertEquals(at.plus(Duration.ofMinutes(150)), world.clock().advance("1h30m"));
    assertThrows(ReplyException.class, () -> world.clock().advance("soon"));
    world.clock().resume();
    world.clock().scale(1000);
    assertThrows(ReplyException.class, () -> world.clock().advance(Duration.ofMillis(-1)));
  }

  @Test
  void theClockOfAProgram(World world) {
    world.clock().freeze();
    world.clock().set(Instant.parse("2030-01-31T23:30:00Z"));
    java.time.Clock clock = world.clock();
    java.time.Clock berlin = clock.withZone(ZoneId.of("Europe/Berlin"));
    assertEquals(ZoneOffset.UTC, clock.getZone());
    assertEquals("2030-01-31T23:30", LocalDateTime.now(clock).toString());
    assertEquals("2030-02-01T00:30", LocalDateTime.now(berlin).toString());
    world.clock().advance(Duration.ofHours(1));
    assertEquals(Instant.parse("2030-02-01T00:30:00Z"), clock.instant());
    assertEquals(clock.millis(), berlin.millis());
  }

  @Test
  void aWorkerTimesOut(World world) throws Exception {
    try (var client = new Jedis(world.host(), world.port(), 60_000)) {
      client.auth(world.username(), world.password());
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
    assertEquals("", world.dump("other*"));
    assertEquals(List.of("key 0 \"board\" zset"), world.leaks("begin"));
  }

  @Test
  void diff(World world) {
    world.command("HSET", "user:1", "name", "ann", "visits", 7);
    String before = world.name() + "-before";
    world.snapshot(before);
    assertEquals("", world.diff(before));
    world.command("HINCRBY", "user:1", "visits", 1);
    assertEquals("database 0\n \"user:1\" hash\n-  \"visits\" \"7\"\n+  \"visits\" \"8\"\n", world.diff(before));
    world.forget(before);
    assertThrows(ReplyException.class, () -> world.diff(before));
  }

  @Test
  void chaos(World world) {
    world.seed(1);
    world.command("SADD", "fruit", "apple", "banana", "cherry", "date", "elder");
    var order = world.command("SMEMBERS", "fruit");
    assertEquals(order, world.command("SMEMBERS", "fruit"));
    world.chaos().on(Whim.ORDER);
    assertEquals(Map.of(Whim.EVICT, false, Whim.ORDER, true, Whim.SCAN, false, Whim.TIME, false), world.chaos().status());
    assertTrue(Stream.generate(() -> world.command("SMEMBERS", "fruit")).limit(10).distinct().count() > 1);
    world.chaos().off(Whim.ORDER);
    assertEquals(order, world.command("SMEMBERS", "fruit"));
  }

  @Test
  void faults(World world) throws Exception {
    world.faults().add("full", "ON", "COMMAND", "set", "DO", "OOM", "TIMES", 1);
    world.faults().add("slow", "ON", "KEY", "k", "DO", "DELAY", 10);
    try (var client = new Jedis(world.url())) {
      assertThrows(JedisDataException.class, () -> client.set("other", "v"));
    }
    world.waitFor(Duration.ofSeconds(5), "FAULT", "full", 1);
    assertEquals(List.of(new Faults.Fault("full", "ON COMMAND set DO OOM TIMES 1", 1, 1, ""),
        new Faults.Fault("slow", "ON KEY k DO DELAY 10", 0, 0, "struck nothing: clients sent 1 SET")), world.faults().list());
    world.faults().clear("full");
    assertEquals(1, world.faults().list().size());
    world.faults().clear();
    assertEquals(List.of(), world.faults().list());
  }

  @Test
  void outage(World world) throws Exception {
    try (var client = new Jedis(world.url())) {
      client.ping();
      world.outage().begin("HANG", "FOR", "5s", "ON", "LIB-NAME", "jedis*");
      var hanging = CompletableFuture.supplyAsync(() -> client.incr("n"));
      world.waitForOutage(1);
      assertEquals(0L, world.command("EXISTS", "n"));
      world.outage().end();
      assertEquals(1L, hanging.get());
    }
  }

  @Test
  void downAndRestart() {
    try (var server = Server.start(); var world = server.world()) {
      world.command("SET", "k", "v");
      var script = world.command("SCRIPT", "LOAD", "return 1");
      try (var client = new Jedis(world.url())) {
        client.ping();
        world.outage().begin("DOWN");
        assertThrows(JedisConnectionException.class, client::ping);
        assertThrows(JedisConnectionException.class, () -> new Jedis(world.url()).close());
        assertEquals(1, world.outage().struck());
        world.outage().end();
      }
      server.restart();
      assertEquals("v", world.command("GET", "k"));
      assertEquals(List.of(0L), world.command("SCRIPT", "EXISTS", script));
      server.restartEmpty();
      assertNull(world.command("GET", "k"));
    }
  }

  @Test
  void aFaultThatStrikesNothing(Server server) {
    var records = new ArrayList<String>();
    var handler = new Handler() {
      @Override
      public void publish(LogRecord record) {
        records.add(record.getLevel() + " " + record.getMessage());
      }

      @Override
      public void flush() {}

      @Override
      public void close() {}
    };
    var logger = Logger.getLogger(Faults.class.getName());
    logger.addHandler(handler);
    try (var world = server.world(); var client = new Jedis(world.url())) {
      world.faults().add("lost", "ON", "COMMAND", "incrby", "DO", "LOST-REPLY");
      world.faults().add("any", "ON", "ANY", "CLIENT", "worker-*", "DO", "ERROR", "ERR no");
      client.incr("n");
      client.clientSetname("worker-1");
      assertThrows(JedisDataException.class, client::ping);
    } finally {
      logger.removeHandler(handler);
    }
    assertEquals(List.of("WARNING fault lost ON COMMAND incrby DO LOST-REPLY struck nothing: clients sent 1 CLIENT|SETNAME, 1 INCR, 1 PING"),
        records);
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
