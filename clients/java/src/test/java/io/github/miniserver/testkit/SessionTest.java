package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertFalse;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

// The code of README.md, which shows it as it is.

@ExtendWith(MiniserverExtension.class)
class SessionTest {
  @Test
  void expires(World world) {
    try (var client = new Jedis(world.url())) { // or any other client
      client.set("session", "alice", SetParams.setParams().ex(3600));
      world.clock().advance(Duration.ofHours(1)); // returns at once
      assertFalse(client.exists("session"));
    }
  }
}

class WithoutJUnitTest {
  @Test
  void runs() {
    try (var server = Server.start("--maxmemory", "10mb"); var world = server.world("orders")) {
      System.out.println(world.url()); // redis://world:orders@127.0.0.1:43125
    }
  }
}
