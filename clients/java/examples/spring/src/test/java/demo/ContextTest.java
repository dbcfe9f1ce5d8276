package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/** Two classes share a context, and each of their tests finds the world as new. */
class ContextTest {
  static final Set<ApplicationContext> CONTEXTS = new HashSet<>();

  @Nested
  class Orders extends RedisTest {
    @RepeatedTest(2)
    void come(@Autowired StringRedisTemplate redis, @Autowired ApplicationContext context) {
      CONTEXTS.add(context);
      assertEquals(1, CONTEXTS.size());
      assertEquals(1, redis.opsForValue().increment("orders"));
    }
  }

  @Nested
  class Baskets extends RedisTest {
    @RepeatedTest(2)
    void end(@Autowired StringRedisTemplate redis, @Autowired ApplicationContext context) {
      CONTEXTS.add(context);
      assertEquals(1, CONTEXTS.size());
      assertFalse(redis.hasKey("orders"));
      redis.opsForValue().set("basket", "shoes", Duration.ofHours(1));
      WORLD.clock().advance(Duration.ofHours(1));
      assertFalse(redis.hasKey("basket"));
    }
  }
}
