import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.fppt.jedismock.RedisServer;
import com.github.fppt.jedismock.operations.server.MockExecutor;
import com.github.fppt.jedismock.server.Response;
import com.github.fppt.jedismock.server.ServiceOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A limiter in Lua, with Lettuce: so many visits in a window that slides. */
class LimiterTest {
  private static final String MAY_PASS = """
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ARGV[1] - ARGV[2])
      if redis.call('ZCARD', KEYS[1]) >= tonumber(ARGV[3]) then return 0 end
      redis.call('ZADD', KEYS[1], ARGV[1], ARGV[4])
      redis.call('PEXPIRE', KEYS[1], ARGV[2])
      return 1
      """;

  private RedisServer server;
  private RedisClient client;
  private StatefulRedisConnection<String, String> connection;
  private RedisCommands<String, String> redis;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.newRedisServer().start();
    client = RedisClient.create("redis://" + server.getHost() + ":" + server.getBindPort());
    connection = client.connect();
    redis = connection.sync();
  }

  @AfterEach
  void stop() throws IOException {
    client.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    server.stop();
  }

  private boolean mayPass(String user, long now, int visit) {
    return redis.<Long>eval(MAY_PASS, ScriptOutputType.INTEGER, new String[] {"visits:" + user}, "" + now, "60000", "3", "" + visit) == 1;
  }

  @Test
  void threeOfFivePass() {
    List<Boolean> passed = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      passed.add(mayPass("alice", 1000 + i, i));
    }
    assertEquals(List.of(true, true, true, false, false), passed);
    assertTrue(mayPass("bob", 1000, 1));
  }

  @Test
  void theWindowSlides() {
    for (int i = 0; i < 3; i++) {
      assertTrue(mayPass("alice", 1000 * i, i));
    }
    assertFalse(mayPass("alice", 59_999, 3));
    assertTrue(mayPass("alice", 60_000, 4));
    assertFalse(mayPass("alice", 60_001, 5));
    assertTrue(mayPass("alice", 61_000, 6));
  }

  @Test
  void theScriptIsLoadedOnce() {
    String sha = redis.scriptLoad(MAY_PASS);
    String[] keys = {"visits:alice"};
    assertEquals(1L, redis.<Long>evalsha(sha, ScriptOutputType.INTEGER, keys, "1000", "60000", "3", "a"));
    assertEquals(List.of(true), redis.scriptExists(sha));
    redis.scriptFlush();
    assertThrows(RedisNoScriptException.class, () -> redis.evalsha(sha, ScriptOutputType.INTEGER, keys, "1000", "60000", "3", "b"));
  }

  @Test
  void manyAtATime() throws Exception {
    var threads = Executors.newFixedThreadPool(4);
    List<Callable<Boolean>> visits = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      int visit = i;
      visits.add(() -> mayPass("alice", 1000, visit));
    }
    int passed = 0;
    for (Future<Boolean> visit : threads.invokeAll(visits)) {
      passed += visit.get() ? 1 : 0;
    }
    threads.shutdown();
    assertEquals(3, passed);
  }

  @Test
  void theLimiterIsClosedIfScriptsFail() throws Exception {
    server.stop();
    server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) ->
        name.equals("eval") ? Response.error("ERR out of order") : MockExecutor.proceed(state, name, parameters))).start();
    try (var broken = RedisClient.create("redis://" + server.getHost() + ":" + server.getBindPort())) {
      var commands = broken.connect().sync();
      var e = assertThrows(RedisCommandExecutionException.class, () -> commands.eval(MAY_PASS, ScriptOutputType.INTEGER));
      assertEquals("ERR out of order", e.getMessage());
      broken.shutdown(Duration.ZERO, Duration.ofSeconds(10));
    }
  }
}
