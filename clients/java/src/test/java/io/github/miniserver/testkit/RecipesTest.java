package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.lettuce.core.RedisClient;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.RepetitionInfo;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.params.SetParams;

/** The recipes of docs/recipes/java.md and docs/start/java.md, which show these methods as they are. */
@ExtendWith(MiniserverExtension.class)
class RecipesTest {
  private static final String DUMP = "../testdata/production.rdb";
  private static final Path GOLDEN = Path.of("../testdata/checkout.txt");

  @Test
  void sessionExpires(World world) {
    try (var client = new Jedis(world.url())) {
      client.set("session", "alice", SetParams.setParams().ex(3600));
      world.clock().advance(Duration.ofHours(1));
      assertFalse(client.exists("session"));
    }
  }

  @Test
  void aMailIsDueInAnHour(World world) {
    try (var client = new Jedis(world.url())) {
      var mails = new Mails(client, world.clock());
      world.clock().freeze();
      mails.send("welcome", Duration.ofHours(1));
      world.clock().advance(Duration.ofHours(1).minusMillis(1));
      assertEquals(List.of(), mails.due());
      world.clock().advance(Duration.ofMillis(1));
      assertEquals(List.of("welcome"), mails.due());
    }
  }

  /** Mails that are sent later, by the clock of the program. */
  record Mails(Jedis client, java.time.Clock clock) {
    void send(String mail, Duration delay) {
      client.zadd("mails", clock.instant().plus(delay).toEpochMilli(), mail);
    }

    List<String> due() {
      return client.zrangeByScore("mails", 0, clock.millis());
    }
  }

  @Test
  void aDayOfALimiter(World world) {
    try (var client = new Jedis(world.url())) {
      world.clock().freeze();
      int passed = 0;
      for (int minute = 0; minute < 24 * 60; minute++) {
        for (int i = 0; i < 3; i++) {
          passed += mayPass(client, "alice") ? 1 : 0;
        }
        world.clock().advance(Duration.ofMinutes(1));
      }
      assertEquals(24 * 100, passed);
    }
  }

  /** A user may pass 100 times an hour. */
  static boolean mayPass(Jedis client, String user) {
    long count = client.incr("visits:" + user);
    if (count == 1) {
      client.expire("visits:" + user, 3600);
    }
    return count <= 100;
  }

  @Test
  void aLostReply(World world) {
    var client = RedisClient.create(world.url().toString()); // Lettuce sends again what has no reply
    try (var connection = client.connect()) {
      world.faults().add("incr", "ON", "COMMAND", "incr", "DO", "LOST-REPLY", "TIMES", 1);
      assertEquals(2, connection.sync().incr("orders"));

      world.faults().add("sadd", "ON", "COMMAND", "sadd", "DO", "LOST-REPLY", "TIMES", 1);
      connection.sync().sadd("order-ids", "17");
      assertEquals(1, connection.sync().scard("order-ids"));
    }
    client.shutdown();
  }

  @Test
  void aServerThatIsGone(World world) {
    world.command("SET", "price:shoes", "80");
    world.outage().begin("CUT");
    assertEquals("unknown", price(world.url(), "shoes"));
    world.outage().end();
    assertEquals("80", price(world.url(), "shoes"));
  }

  /** What goods cost if the cache can be reached. */
  static String price(URI cache, String goods) {
    try (var client = new Jedis(cache)) {
      return client.get("price:" + goods);
    } catch (JedisConnectionException e) {
      return "unknown";
    }
  }

  @RepeatedTest(20)
  @Execution(ExecutionMode.CONCURRENT)
  void sideBySide(RepetitionInfo repetition, World world) {
    int day = repetition.getCurrentRepetition();
    try (var client = new Jedis(world.url())) {
      client.set("session", "alice", SetParams.setParams().ex(10 * 86_400));
      world.clock().advance(Duration.ofDays(day));
      assertEquals(day < 10, client.exists("session"));
    }
  }

  @Test
  void aFailover() {
    String[] cluster = {"--cluster-enabled", "yes"};
    try (var old = Server.start(cluster); var fresh = Server.start(cluster);
        var client = new JedisCluster(new HostAndPort(old.host(), old.port()))) {
      client.set("cart:7", "shoes");

      var target = fresh.host() + ":" + fresh.port();
      old.world("default").faults().add("failover", "ON", "KEY", "*", "DO", "MOVED", target);
      client.set("cart:7", "hats");
      assertEquals("hats", fresh.command("GET", "cart:7"));
    }
  }

  @Test
  void checkout(World world) throws Exception {
    world.clock().freeze();
    try (var client = new Jedis(world.url())) {
      checkOut(client, "alice", "shoes");
    }
    assertEquals(Files.readString(GOLDEN), world.dump());
  }

  static void checkOut(Jedis client, String user, String goods) {
    client.rpush("orders:" + user, goods);
    client.incr("sales");
    client.setex("session:" + user, 600, "paid");
  }

  @Test
  void productionData() {
    try (var production = Server.start("--load", DUMP); var world = production.world("default").fork();
        var client = new Jedis(world.url())) {
      assertEquals(11, client.hincrBy("stock", "shoes", -1));
      assertEquals("12", production.command("HGET", "stock", "shoes"));
    }
  }
}
