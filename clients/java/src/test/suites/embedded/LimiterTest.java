import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.embedded.RedisServer;
import redis.embedded.core.PortProvider;

/** A bucket of tokens in Lua, with Lettuce. The server has a configuration file. */
class LimiterTest {
  private static final String TAKE = """
      local tokens = tonumber(redis.call('HGET', KEYS[1], 'tokens') or ARGV[1])
      local last = tonumber(redis.call('HGET', KEYS[1], 'at') or ARGV[3])
      tokens = math.min(tonumber(ARGV[1]), tokens + (ARGV[3] - last) * ARGV[2])
      if tokens < 1 then return {0, tostring(tokens)} end
      redis.call('HSET', KEYS[1], 'tokens', tokens - 1, 'at', ARGV[3])
      return {1, tostring(tokens - 1)}
      """;

  private Path file;
  private RedisServer server;
  private RedisClient client;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void start() throws IOException {
    file = Files.createTempFile("redis", ".conf");
    Files.writeString(file, "# of the limiter\nsave \"\"\nmaxclients 100\nlua-time-limit 200\n");
    int port = PortProvider.newEphemeralPortProvider().get();
    server = RedisServer.newRedisServer().port(port).configFile(file.toString()).build();
    server.start();
    client = RedisClient.create("redis://127.0.0.1:" + port);
    redis = client.connect().sync();
  }

  @AfterEach
  void stop() throws IOException {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    server.stop();
    Files.delete(file);
  }

  private List<Object> take(int second) {
    return redis.eval(TAKE, ScriptOutputType.MULTI, new String[] {"bucket"}, "3", "0.5", "" + second);
  }

  @Test
  void tokensComeBack() {
    List<Object> taken = new ArrayList<>();
    for (int second : new int[] {0, 0, 0, 0, 1, 2, 2}) {
      taken.add(take(second).get(0));
    }
    assertEquals(List.of(1L, 1L, 1L, 0L, 0L, 1L, 0L), taken);
    assertEquals("2", take(100).get(1));
  }

  @Test
  void theFileIsRead() {
    assertEquals("100", redis.configGet("maxclients").get("maxclients"));
    assertEquals("200", redis.configGet("lua-time-limit").get("lua-time-limit"));
  }

  @Test
  void aScriptWithAMistakeIsAnError() {
    var e = assertThrows(RedisCommandExecutionException.class, () -> redis.eval("return nil + 1", ScriptOutputType.INTEGER));
    assertEquals(true, e.getMessage().contains("attempt to perform arithmetic on a nil value"));
  }
}
