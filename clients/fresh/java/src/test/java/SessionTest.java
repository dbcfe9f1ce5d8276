import static org.junit.jupiter.api.Assertions.assertNull;

import io.github.miniserver.testkit.MiniserverExtension;
import io.github.miniserver.testkit.World;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(MiniserverExtension.class)
class SessionTest {
  @Test
  void expires(World world) { // of a server whose program a jar has brought
    world.command("SET", "session", "alice", "EX", 3600);
    world.clock().advance(Duration.ofHours(1));
    assertNull(world.command("GET", "session"));
  }
}
