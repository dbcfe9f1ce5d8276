import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.fppt.jedismock.RedisServer;
import com.github.fppt.jedismock.operations.server.MockExecutor;
import com.github.fppt.jedismock.server.ServiceOptions;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPool;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** Sessions in hashes that expire, with an index by user. */
class SessionStoreTest {
  private final TestClock clock = new TestClock();
  private RedisServer server;
  private JedisPool pool;
  private Sessions sessions;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.newRedisServer();
    server.setClock(clock);
    server.start();
    pool = new JedisPool(server.getHost(), server.getBindPort());
    sessions = new Sessions(pool, Duration.ofMinutes(30));
  }

  @AfterEach
  void stop() throws IOException {
    pool.close();
    server.stop();
  }

  @Test
  void aSessionIsFound() {
    String id = sessions.open("alice", Map.of("theme", "dark"));
    assertEquals(Optional.of("alice"), sessions.user(id));
    assertEquals("dark", sessions.attribute(id, "theme"));
    assertEquals(Optional.empty(), sessions.user("nosuch"));
  }

  @Test
  void itExpires() {
    String id = sessions.open("alice", Map.of());
    clock.advance(Duration.ofMinutes(29));
    assertTrue(sessions.user(id).isPresent());
    clock.advance(Duration.ofMinutes(2));
    assertFalse(sessions.user(id).isPresent());
  }

  @Test
  void aVisitProlongsIt() {
    String id = sessions.open("alice", Map.of());
    for (int i = 0; i < 5; i++) {
      clock.advance(Duration.ofMinutes(20));
      assertTrue(sessions.visit(id));
    }
    clock.advance(Duration.ofMinutes(31));
    assertFalse(sessions.visit(id));
  }

  @Test
  void aUserLeavesEverywhere() {
    String phone = sessions.open("alice", Map.of());
    String desk = sessions.open("alice", Map.of());
    String other = sessions.open("bob", Map.of());
    assertEquals(Set.of(phone, desk), sessions.of("alice"));
    sessions.closeAll("alice");
    assertTrue(sessions.user(phone).isEmpty() && sessions.user(desk).isEmpty());
    assertEquals(Optional.of("bob"), sessions.user(other));
  }

  @Test
  void aLostConnectionIsAnError() {
    String id = sessions.open("alice", Map.of());
    server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) ->
        name.equals("hget") ? MockExecutor.breakConnection(state) : MockExecutor.proceed(state, name, parameters)));
    assertThrows(JedisConnectionException.class, () -> sessions.user(id));
    server.setOptions(ServiceOptions.defaultOptions());
    assertEquals(Optional.of("alice"), sessions.user(id));
  }

  /** What is tested. */
  static final class Sessions {
    private final JedisPool pool;
    private final Duration life;

    Sessions(JedisPool pool, Duration life) {
      this.pool = pool;
      this.life = life;
    }

    String open(String user, Map<String, String> attributes) {
      String id = UUID.randomUUID().toString();
      try (Jedis jedis = pool.getResource()) {
        var transaction = jedis.multi();
        transaction.hset("session:" + id, "user", user);
        attributes.forEach((name, value) -> transaction.hset("session:" + id, name, value));
        transaction.expire("session:" + id, life.toSeconds());
        transaction.sadd("sessions:" + user, id);
        transaction.exec();
      }
      return id;
    }

    Optional<String> user(String id) {
      return Optional.ofNullable(attribute(id, "user"));
    }

    String attribute(String id, String name) {
      try (Jedis jedis = pool.getResource()) {
        return jedis.hget("session:" + id, name);
      }
    }

    boolean visit(String id) {
      try (Jedis jedis = pool.getResource()) {
        return jedis.expire("session:" + id, life.toSeconds()) == 1;
      }
    }

    Set<String> of(String user) {
      try (Jedis jedis = pool.getResource()) {
        return jedis.smembers("sessions:" + user);
      }
    }

    void closeAll(String user) {
      try (Jedis jedis = pool.getResource()) {
        var pipeline = jedis.pipelined();
        for (String id : of(user)) {
          pipeline.del("session:" + id);
        }
        pipeline.del("sessions:" + user);
        pipeline.sync();
      }
    }
  }

  /** A clock that stands until the test moves it. */
  static final class TestClock extends Clock {
    private Instant now = Instant.parse("2030-01-01T00:00:00Z");

    void advance(Duration time) {
      now = now.plus(time);
    }

    @Override
    public Instant instant() {
      return now;
    }

    @Override
    public ZoneId getZone() {
      return ZoneOffset.UTC;
    }

    @Override
    public Clock withZone(ZoneId zone) {
      return this;
    }
  }
}
