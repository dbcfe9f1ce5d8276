package demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.github.miniserver.testkit.Server;
import io.github.miniserver.testkit.World;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** The connections are configured without a URL. */
@SpringBootTest
class HostTest {
  static final World WORLD = Server.start().world();

  @DynamicPropertySource
  static void redis(DynamicPropertyRegistry registry) {
    registry.add("spring.data.redis.host", WORLD::host);
    registry.add("spring.data.redis.port", WORLD::port);
    registry.add("spring.data.redis.username", WORLD::username);
    registry.add("spring.data.redis.password", WORLD::password);
  }

  @Test
  void itIsInTheWorld(@Autowired StringRedisTemplate redis) {
    redis.opsForValue().set("session", "alice");
    assertEquals("alice", WORLD.command("GET", "session"));
  }
}
