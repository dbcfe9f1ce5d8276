package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.mockito.Mockito.CALLS_REAL_METHODS;
import static org.mockito.Mockito.mockStatic;

import io.github.miniserver.testkit.Server;
import io.github.miniserver.testkit.World;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.RedisTemplate;
import org.springframework.data.redis.serializer.RedisSerializer;
import org.springframework.session.Session;
import org.springframework.session.SessionRepository;
import org.springframework.session.data.redis.RedisIndexedSessionRepository;
import org.springframework.session.data.redis.RedisSessionRepository;

/** Whose clock Spring Session follows. Its repositories need no context of Spring. */
class SessionsTest {
  static final World WORLD = Server.start().world();
  static final LettuceConnectionFactory CONNECTIONS =
      new LettuceConnectionFactory(LettuceConnectionFactory.createRedisConfiguration(WORLD.url().toString()));

  @BeforeAll
  static void connect() {
    CONNECTIONS.afterPropertiesSet();
    CONNECTIONS.start();
  }

  @AfterAll
  static void disconnect() {
    CONNECTIONS.destroy();
  }

  @AfterEach
  void reset() {
    WORLD.reset();
  }

  @Test
  void sessionsLastWhileTheyAreUsed() {
    lastWhileTheyAreUsed(new RedisSessionRepository(template()));
  }

  @Test
  void indexedSessionsLastWhileTheyAreUsed() {
    lastWhileTheyAreUsed(indexed());
  }

  <S extends Session> void lastWhileTheyAreUsed(SessionRepository<S> sessions) {
    try (var instants = mockStatic(Instant.class, CALLS_REAL_METHODS)) {
      instants.when(Instant::now).thenAnswer(call -> WORLD.clock().instant());
      var session = sessions.createSession();
      sessions.save(session);
      for (int visit = 0; visit < 3; visit++) {
        WORLD.clock().advance(Duration.ofMinutes(29));
        session = sessions.findById(session.getId());
        session.setLastAccessedTime(Instant.now()); // as the filter does at each request
        sessions.save(session);
      }
      WORLD.clock().advance(Duration.ofMinutes(30));
      assertNull(sessions.findById(session.getId()));
    }
  }

  @Test
  void aSessionIsBornDeadIfTheServerIsAhead() {
    WORLD.clock().advance(Duration.ofHours(1));
    isBornDead(new RedisSessionRepository(template()));
  }

  static <S extends Session> void isBornDead(SessionRepository<S> sessions) {
    var session = sessions.createSession();
    sessions.save(session);
    assertNull(sessions.findById(session.getId()));
  }

  @Test
  void anIndexedSessionIsThereThoughItHasExpired() {
    isThereThoughItHasExpired(indexed());
  }

  static <S extends Session> void isThereThoughItHasExpired(SessionRepository<S> sessions) {
    var session = sessions.createSession();
    sessions.save(session);
    var expires = "spring:session:sessions:expires:" + session.getId();
    assertEquals(1L, WORLD.command("EXISTS", expires));
    WORLD.clock().advance(Duration.ofMinutes(31));
    assertEquals(0L, WORLD.command("EXISTS", expires)); // of which the event comes
    assertNotNull(sessions.findById(session.getId()));
  }

  static RedisIndexedSessionRepository indexed() {
    return new RedisIndexedSessionRepository(template());
  }

  static RedisTemplate<String, Object> template() {
    var template = new RedisTemplate<String, Object>();
    template.setConnectionFactory(CONNECTIONS);
    template.setKeySerializer(RedisSerializer.string());
    template.setHashKeySerializer(RedisSerializer.string());
    template.afterPropertiesSet();
    return template;
  }
}
