import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.fppt.jedismock.RedisServer;
import com.github.fppt.jedismock.operations.server.MockExecutor;
import com.github.fppt.jedismock.server.ServiceOptions;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** Jobs in a list. A worker moves the one that it does to a list of its own, so that none is lost. */
class QueueTest {
  private final List<String> commands = Collections.synchronizedList(new ArrayList<>());
  private RedisServer server;

  @BeforeEach
  void start() throws IOException {
    server = RedisServer.newRedisServer().setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> {
      commands.add(name);
      return MockExecutor.proceed(state, name, parameters);
    })).start();
  }

  @AfterEach
  void stop() throws IOException {
    server.stop();
  }

  private Jedis connect() {
    return new Jedis(server.getHost(), server.getBindPort());
  }

  @Test
  void jobsComeInOrder() {
    try (Jedis jedis = connect()) {
      jedis.lpush("jobs", "a", "b", "c");
      assertEquals("a", jedis.rpoplpush("jobs", "doing"));
      assertEquals("b", jedis.brpoplpush("jobs", "doing", 1));
      assertEquals(List.of("b", "a"), jedis.lrange("doing", 0, -1));
      assertEquals(1, jedis.lrem("doing", 1, "a"));
      assertEquals(List.of("lpush", "rpoplpush", "brpoplpush", "lrange", "lrem"), commands);
    }
  }

  @Test
  void aWorkerWaitsForAJob() throws Exception {
    var job = CompletableFuture.supplyAsync(() -> {
      try (Jedis jedis = connect()) {
        return jedis.brpop(10, "jobs");
      }
    });
    try (Jedis jedis = connect()) {
      jedis.lpush("jobs", "a");
      assertEquals(List.of("jobs", "a"), job.get(10, TimeUnit.SECONDS));
      assertNull(jedis.brpop(0.05, "jobs"));
    }
  }

  @Test
  void aJobIsDoneInATransaction() {
    try (Jedis jedis = connect()) {
      jedis.lpush("doing", "a");
      jedis.watch("doing");
      var transaction = jedis.multi();
      transaction.lrem("doing", 1, "a");
      transaction.incr("done");
      assertEquals(List.of(1L, 1L), transaction.exec());

      jedis.watch("doing");
      try (Jedis other = connect()) {
        other.lpush("doing", "b");
      }
      transaction = jedis.multi();
      transaction.incr("done");
      assertNull(transaction.exec());
      assertEquals("1", jedis.get("done"));
    }
  }

  @Test
  void workersHearOfJobs() throws Exception {
    var heard = new ArrayList<String>();
    var listening = new CountDownLatch(1);
    var listener = new JedisPubSub() {
      @Override
      public void onSubscribe(String channel, int count) {
        listening.countDown();
      }

      @Override
      public void onMessage(String channel, String message) {
        heard.add(channel + " " + message);
        unsubscribe();
      }
    };
    var worker = CompletableFuture.runAsync(() -> {
      try (Jedis jedis = connect()) {
        jedis.subscribe(listener, "jobs");
        assertEquals("PONG", jedis.ping());
      }
    });
    assertTrue(listening.await(10, TimeUnit.SECONDS));
    try (Jedis jedis = connect()) {
      assertEquals(1, jedis.publish("jobs", "a"));
    }
    worker.get(10, TimeUnit.SECONDS);
    assertEquals(List.of("jobs a"), heard);
  }

  @Test
  void nothingIsLostIfTheConnectionBreaks() {
    try (Jedis jedis = connect()) {
      jedis.lpush("jobs", "a");
    }
    server.setOptions(ServiceOptions.executeOnly(1));
    try (Jedis jedis = connect()) {
      jedis.rpoplpush("jobs", "doing");
      assertThrows(JedisConnectionException.class, () -> jedis.lrem("doing", 1, "a"));
    }
    server.setOptions(ServiceOptions.defaultOptions());
    try (Jedis jedis = connect()) {
      assertEquals(List.of("a"), jedis.lrange("doing", 0, -1));
      jedis.set("text", "a");
      assertTrue(assertThrows(JedisDataException.class, () -> jedis.lpush("text", "b")).getMessage().startsWith("WRONGTYPE"));
    }
  }
}
