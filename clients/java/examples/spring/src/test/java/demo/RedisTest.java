package demo;

import io.github.miniserver.testkit.Server;
import io.github.miniserver.testkit.World;
import org.junit.jupiter.api.AfterEach;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** What classes have in common that share a context. */
@SpringBootTest
abstract class RedisTest {
  static final World WORLD = Server.start().world();

  @DynamicPropertySource
  static void redis(DynamicPropertyRegistry registry) {
    registry.add("spring.data.redis.url", WORLD::url);
  }

  @AfterEach
  void reset() {
    WORLD.reset(); // the data and the clock; Spring stays connected
  }
}
