package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Response;

/** A limiter over a simulated day: 100 requests in any 60 minutes, while 3 come each minute. */
@ExtendWith(MiniserverExtension.class)
class LimiterTest {
  @Test
  void aDayOfALimiter(World world) throws Exception {
    String script = Files.readString(Path.of("../../examples/sliding-window-zset.lua"));
    long began = System.nanoTime();
    int[] allowed = new int[24 * 60];
    world.clock().freeze();
    try (var client = new Jedis(world.url())) {
      String sha = client.scriptLoad(script);
      for (int minute = 0; minute < allowed.length; minute++) {
        try (var pipeline = client.pipelined()) {
          var replies = List.of(request(pipeline, sha), request(pipeline, sha), request(pipeline, sha));
          pipeline.sync();
          allowed[minute] = replies.stream().mapToInt(reply -> ((Long) ((List<?>) reply.get()).get(0)).intValue()).sum();
        }
        world.clock().advance(Duration.ofMinutes(1));
      }
    }
    System.out.printf("a day of %d requests took %.2f seconds%n", 3 * allowed.length, (System.nanoTime() - began) / 1e9);

    assertEquals(24 * 100, Arrays.stream(allowed).sum());
    assertEquals(100, Arrays.stream(allowed, 0, 34).sum());
    assertEquals(0, allowed[34]);
    for (int from = 0; from < allowed.length - 60; from++) {
      assertEquals(100, Arrays.stream(allowed, from, from + 60).sum());
    }
  }

  private static Response<Object> request(redis.clients.jedis.Pipeline pipeline, String sha) {
    return pipeline.evalsha(sha, 1, "visits:alice", "100", "3600000");
  }
}
