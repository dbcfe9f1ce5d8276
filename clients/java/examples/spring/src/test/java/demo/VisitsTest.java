package demo;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.miniserver.testkit.Server;
import io.github.miniserver.testkit.World;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

@SpringBootTest
class VisitsTest {
  static final World WORLD = Server.start().world(); // before Spring asks; the server ends with the tests

  @DynamicPropertySource
  static void redis(DynamicPropertyRegistry registry) {
    registry.add("spring.data.redis.url", WORLD::url);
  }

  @Autowired
  StringRedisTemplate redis;

  @Test
  void twoPassInAMinute() {
    assertTrue(mayPass());
    assertTrue(mayPass());
    assertFalse(mayPass());
    WORLD.clock().advance(Duration.ofMinutes(1));
    assertTrue(mayPass());
  }

  boolean mayPass() {
    return redis.execute(Visits.MAY_PASS, List.of("visits:alice"), "2", "60000");
  }
}
