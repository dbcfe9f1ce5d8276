package io.github.miniserver.jedismock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.github.miniserver.jedismock.datastructures.Slice;
import io.github.miniserver.jedismock.operations.server.MockExecutor;
import io.github.miniserver.jedismock.server.RedisCommandInterceptor;
import io.github.miniserver.jedismock.server.Response;
import io.github.miniserver.jedismock.server.ServiceOptions;
import io.github.miniserver.testkit.Server;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.redisson.Redisson;
import org.redisson.config.Config;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisPubSub;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.exceptions.JedisDataException;

/** What differs from jedis-mock, and attacks. What is the same is in src/test/suites/jedismock. */
@Timeout(120) // seconds
@Execution(ExecutionMode.CONCURRENT)
class RedisServerTest {
  private static final RedisCommandInterceptor PASS_ON = (state, name, parameters) -> MockExecutor.proceed(state, name, parameters);

  private RedisServer server = RedisServer.newRedisServer();

  @AfterEach
  void stop() throws IOException {
    if (server.isRunning()) {
      server.stop();
    }
  }

  private Jedis connect() {
    return new Jedis(server.getHost(), server.getBindPort());
  }

  private void intercept(RedisCommandInterceptor interceptor) throws IOException {
    server.setOptions(ServiceOptions.withInterceptor(interceptor)).start();
  }

  @Test
  void anInterceptorThatThrowsIsAnErrorAtOnce() throws Exception {
    intercept((state, name, parameters) -> {
      if (name.equals("get")) {
        throw new IllegalStateException("out\r\nof order");
      }
      if (name.equals("set")) {
        assertEquals("expected", parameters.get(1).toString());
      }
      return name.equals("echo") ? null : MockExecutor.proceed(state, name, parameters);
    });
    try (Jedis client = connect()) {
      assertEquals("ERR the interceptor has thrown java.lang.IllegalStateException: out  of order",
          assertThrows(JedisDataException.class, () -> client.get("k")).getMessage());
      assertTrue(assertThrows(JedisDataException.class, () -> client.set("k", "v")).getMessage().contains("expected: <expected> but was: <v>"));
      assertEquals("ERR the interceptor has returned null for the command 'echo'",
          assertThrows(JedisDataException.class, () -> client.echo("hello")).getMessage());
      assertEquals("PONG", client.ping());
    }
  }

  @Test
  void theFirstInterceptorEndsConnections() throws Exception {
    server.start();
    try (Jedis before = connect()) {
      before.set("k", "v");
      server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> Response.bulkString(Slice.create("mine"))));
      assertThrows(JedisConnectionException.class, () -> before.get("k"));
    }
    try (Jedis client = connect()) {
      assertEquals("mine", client.get("k"));
    }
  }

  @Test
  void allCommandsWork() throws Exception {
    intercept(PASS_ON);
    var login = DefaultJedisClientConfig.builder().resp3().build();
    try (Jedis client = new Jedis(new HostAndPort(server.getHost(), server.getBindPort()), login)) {
      client.hset("hash", Map.of("a", "1", "b", "2"));
      assertEquals(Map.of("a", "1", "b", "2"), client.hgetAll("hash"));
      client.zadd("zset", 1.5, "m");
      assertEquals(1.5, client.zscore("zset", "m"));
      assertNull(client.get("nosuch"));
      assertEquals(1, client.xlen(addTo(client, "stream")));
      byte[] binary = {0, '\r', '\n', (byte) 0xff};
      client.set(binary, binary);
      assertEquals(4, client.strlen(binary));
      assertEquals("none", client.type("message"));
      client.rpush("list", "message", "a", "b");
      assertEquals(List.of("message", "a", "b"), client.lrange("list", 0, -1));
    }
  }

  private static String addTo(Jedis client, String stream) {
    client.xadd(stream, redis.clients.jedis.StreamEntryID.NEW_ENTRY, Map.of("f", "v"));
    return stream;
  }

  @Test
  void pipelinesAndMessages() throws Exception {
    intercept(PASS_ON);
    try (Jedis client = connect(); Jedis other = connect()) {
      var pipeline = client.pipelined();
      for (int i = 0; i < 1000; i++) {
        pipeline.incr("n");
      }
      assertEquals(1000, pipeline.syncAndReturnAll().size());
      var heard = new ArrayList<String>();
      client.subscribe(new JedisPubSub() {
        @Override
        public void onSubscribe(String channel, int count) {
          if (count == 1) {
            psubscribe("n*", "m*");
          }
        }

        @Override
        public void onPSubscribe(String pattern, int count) {
          if (count == 3) {
            other.publish("news", "hello");
          }
        }

        @Override
        public void onMessage(String channel, String message) {
          heard.add(message);
        }

        @Override
        public void onPMessage(String pattern, String channel, String message) {
          heard.add(pattern + " " + message);
          ping();
        }

        @Override
        public void onPong(String text) {
          unsubscribe();
          punsubscribe();
        }
      }, "news");
      assertEquals(List.of("hello", "n* hello"), heard);
      assertEquals("1000", client.get("n"));
    }
  }

  @Test
  void redissonLocks() throws Exception {
    intercept(PASS_ON);
    var config = new Config();
    config.useSingleServer().setAddress("redis://" + server.getHost() + ":" + server.getBindPort());
    var client = Redisson.create(config);
    try {
      var lock = client.getLock("lock");
      lock.lock();
      var other = CompletableFuture.supplyAsync(() -> { // it waits for a message
        lock.lock();
        lock.unlock();
        return true;
      });
      lock.unlock();
      assertTrue(other.get(20, TimeUnit.SECONDS));
    } finally {
      client.shutdown(0, 10, TimeUnit.SECONDS);
    }
  }

  @Test
  void rawBytes() throws Exception {
    intercept(PASS_ON);
    assertEquals("+PONG\r\n$1\r\na\r\n", exchange("PING\r\n\r\nECHO a\r\nQUIT\r\n", "+OK"));
    assertEquals("", exchange("*1\r\nPING\r\n", "-ERR Protocol error: expected '$', got 'P'"));
    assertEquals("", exchange("*9999999999\r\n", "-ERR Protocol error: invalid multibulk length"));
    assertEquals("", exchange("*1\r\n$9999999999\r\n", "-ERR Protocol error: invalid bulk length"));
    assertEquals("", exchange("*1\r\n$x\r\n", "-ERR Protocol error: invalid bulk length"));
    assertEquals("+OK\r\n$1\r\nb\r\n", exchange(
        "CLIENT REPLY SKIP\r\nECHO a\r\nCLIENT REPLY OFF\r\nECHO a\r\nCLIENT REPLY ON\r\nECHO b\r\nQUIT\r\n", "+OK"));
    assertEquals("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n"
        + "*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n+RESET\r\n"
        + "*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n$1\r\na\r\n",
        exchange("SUBSCRIBE a b\r\nRESET\r\nUNSUBSCRIBE\r\nECHO a\r\nQUIT\r\n", "+OK"));
    assertTrue(exchange("SUBSCRIBE\r\nMULTI\r\nSUBSCRIBE a\r\nDISCARD\r\nECHO a\r\nQUIT\r\n", "+OK")
        .endsWith("'subscribe' command\r\n+OK\r\n+QUEUED\r\n+OK\r\n$1\r\na\r\n"));
  }

  /** Sends bytes and returns the reply before its last line, which must begin in a way, when the connection has ended. */
  private String exchange(String bytes, String last) throws IOException {
    try (var socket = new Socket(server.getHost(), server.getBindPort())) {
      socket.setSoTimeout(10_000);
      socket.getOutputStream().write(bytes.getBytes(StandardCharsets.UTF_8));
      String reply = new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      int end = reply.lastIndexOf(last);
      assertTrue(end >= 0 && reply.endsWith("\r\n"), reply);
      return reply.substring(0, end);
    }
  }

  @Test
  void aMonitorIsAStream() throws Exception {
    intercept(PASS_ON);
    try (var socket = new Socket(server.getHost(), server.getBindPort()); Jedis client = connect()) {
      socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
      assertEquals("+OK\r\n", new String(socket.getInputStream().readNBytes(5), StandardCharsets.UTF_8));
      client.set("monitored", "v");
      var seen = new StringBuilder();
      while (!seen.toString().contains("\"monitored\"")) {
        seen.append((char) socket.getInputStream().read());
      }
    }
  }

  /** The server hears that a blocked client has gone, so the element is not lost. */
  @Test
  void aBlockedClientThatLeavesTakesNothing() throws Exception {
    intercept(PASS_ON);
    try (Jedis client = connect()) {
      try (var socket = new Socket(server.getHost(), server.getBindPort())) {
        socket.getOutputStream().write("BLPOP list 0\r\n".getBytes(StandardCharsets.UTF_8));
        untilBlocked(client, 1);
      }
      untilBlocked(client, 0);
      client.rpush("list", "a");
      assertEquals("a", client.lpop("list"));
    }
  }

  private static void untilBlocked(Jedis client, int count) throws InterruptedException {
    while (!client.info("clients").contains("blocked_clients:" + count + "\r\n")) {
      Thread.sleep(5);
    }
  }

  @Test
  void aServerThatIsKilledIsAnErrorAtOnce() throws Exception {
    server.start();
    dies();
    intercepted();
    dies();
  }

  private void intercepted() throws IOException {
    server.stop();
    intercept(PASS_ON);
  }

  private void dies() throws Exception {
    try (Jedis client = connect()) {
      long pid = pidOf(client);
      var blocked = CompletableFuture.supplyAsync(() -> {
        try (Jedis waiting = connect()) {
          return waiting.blpop(100, "list");
        }
      });
      untilBlocked(client, 1);
      ProcessHandle.of(pid).orElseThrow().destroyForcibly();
      Throwable reason = assertThrows(Exception.class, () -> blocked.get(10, TimeUnit.SECONDS)).getCause();
      assertEquals(JedisConnectionException.class, reason.getClass());
      assertThrows(JedisConnectionException.class, client::ping);
    }
    assertThrows(JedisConnectionException.class, () -> connect().ping());
  }

  @Test
  void aServerStopsInItsInterceptor() throws Exception {
    intercept((state, name, parameters) -> {
      try {
        server.stop();
      } catch (IOException e) {
        throw new AssertionError(e);
      }
      return Response.OK;
    });
    Jedis client = connect();
    assertThrows(JedisConnectionException.class, client::ping);
    while (server.isRunning()) {
      Thread.sleep(5);
    }
  }

  @Test
  void worldsOfAServerThatOthersHaveStarted() throws Exception {
    try (var shared = Server.start("--requirepass", "se:cret/")) {
      shared.command("SET", "k", "of others");
      server = new RedisServer(0, null, shared.url());
      var other = new RedisServer(0, null, shared.url()).start();
      server.setClock(Clock.fixed(Instant.ofEpochSecond(1_900_000_000), ZoneOffset.UTC));
      server.start();
      try (Jedis client = connect(); Jedis stranger = new Jedis(other.getHost(), other.getBindPort())) {
        assertNull(client.get("k"));
        client.set("k", "v");
        assertEquals("1900000000", client.time().get(0));
        assertNull(stranger.get("k"));
        assertNull(client.blpop(0.05, "list"));
        server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> Response.OK));
        assertEquals("OK", client.get("k"));
      }
      server.stop();
      server.start();
      server.setOptions(ServiceOptions.defaultOptions());
      try (Jedis client = connect()) {
        assertNull(client.get("k")); // the world is a new one
      }
      server.stop();
      other.stop();
      assertEquals("of others", shared.command("GET", "k"));
      assertEquals(1, ((List<?>) shared.command("MINI.WORLD", "LIST")).size());
    }
  }

  @Test
  void aServerThatIsNotThere() {
    server = new RedisServer(0, null, "redis://127.0.0.1:1?");
    assertThrows(IllegalArgumentException.class, server::start);
    assertFalse(server.isRunning());
  }

  /** Each leaves no process and no thread, whether it has an interceptor or not. */
  @Test
  void twoHundredServers() throws Exception {
    List<Long> pids = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      server = RedisServer.newRedisServer();
      if (i % 2 == 0) {
        server.setOptions(ServiceOptions.withInterceptor(PASS_ON));
      }
      server.start();
      try (Jedis client = connect()) {
        pids.add(pidOf(client));
      }
      server.stop();
    }
    assertEquals(200, pids.size());
    assertEquals(List.of(), pids.stream().filter(pid -> ProcessHandle.of(pid).isPresent()).toList());
    while (proxyThreads() > 50) { // of other tests, which end
      Thread.sleep(10);
    }
  }

  private static long pidOf(Jedis client) {
    return Long.parseLong(client.info("server").lines().filter(line -> line.startsWith("process_id:")).findFirst().orElseThrow().substring(11));
  }

  private static long proxyThreads() {
    return Thread.getAllStackTraces().keySet().stream().filter(thread -> thread.getName().startsWith("miniserver-proxy")).count();
  }
}
