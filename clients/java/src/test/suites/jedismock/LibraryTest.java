import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.fppt.jedismock.RedisServer;
import com.github.fppt.jedismock.datastructures.Slice;
import com.github.fppt.jedismock.operations.server.MockExecutor;
import com.github.fppt.jedismock.server.Response;
import com.github.fppt.jedismock.server.ServiceOptions;
import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.exceptions.JedisConnectionException;

/** What is particular to the library: starting and stopping, ports, options, interceptors, replies, the clock. */
class LibraryTest {
  private static Jedis connect(RedisServer server) {
    return new Jedis(server.getHost(), server.getBindPort());
  }

  /** Returns a port that no connection takes meanwhile. */
  private static int freePort() {
    while (true) {
      int port = ThreadLocalRandom.current().nextInt(20_000, 32_000);
      try (var socket = new ServerSocket(port)) {
        return port;
      } catch (IOException e) {
        // another one, then
      }
    }
  }

  @Test
  void startAndStop() throws Exception {
    RedisServer server = RedisServer.newRedisServer();
    assertFalse(server.isRunning());
    assertEquals("JedisMock is not running", assertThrows(NullPointerException.class, server::getBindPort).getMessage());
    assertEquals("JedisMock is not running", assertThrows(NullPointerException.class, server::getHost).getMessage());
    assertEquals("JedisMock is not running", assertThrows(NullPointerException.class, server::stop).getMessage());
    assertSame(server, server.start());
    assertTrue(server.isRunning());
    assertThrows(IllegalStateException.class, server::start);
    Jedis client = connect(server);
    assertEquals("PONG", client.ping());
    server.stop();
    assertThrows(JedisConnectionException.class, client::ping);
    assertFalse(server.isRunning());
    assertThrows(NullPointerException.class, server::stop);
    assertThrows(NullPointerException.class, server::getBindPort);
  }

  @Test
  void aRestartKeepsTheData() throws Exception {
    RedisServer server = RedisServer.newRedisServer().start();
    try (Jedis client = connect(server)) {
      client.set("k", "v");
      client.select(3);
      client.rpush("list", "a", "b");
    }
    server.stop();
    server.start();
    try (Jedis client = connect(server)) {
      assertEquals("v", client.get("k"));
      client.select(3);
      assertEquals(List.of("a", "b"), client.lrange("list", 0, -1));
    }
    server.stop();
  }

  @Test
  void ports() throws Exception {
    int port = freePort();
    RedisServer first = new RedisServer(port).start();
    assertEquals(port, first.getBindPort());
    RedisServer second = RedisServer.newRedisServer(port);
    assertEquals("Address already in use", assertThrows(BindException.class, second::start).getMessage());
    assertFalse(second.isRunning());
    first.stop();
    second.start();
    assertEquals(port, second.getBindPort());
    second.stop();
    assertEquals("Port value out of range: -1", assertThrows(IllegalArgumentException.class, new RedisServer(-1)::start).getMessage());
    assertEquals("Port value out of range: 70000",
        assertThrows(IllegalArgumentException.class, RedisServer.newRedisServer(70000)::start).getMessage());
  }

  @Test
  void aTakenPortWithAnInterceptor() throws Exception {
    RedisServer first = new RedisServer().start();
    RedisServer second = RedisServer.newRedisServer(first.getBindPort()).setOptions(ServiceOptions.executeOnly(1));
    assertEquals("Address already in use", assertThrows(BindException.class, second::start).getMessage());
    assertFalse(second.isRunning());
    first.stop();
  }

  @Test
  void addresses() throws Exception {
    assertEquals("127.0.0.1", hostOf(null));
    assertEquals("127.0.0.1", hostOf(InetAddress.getByName("0.0.0.0")));
    assertEquals("127.0.0.2", hostOf(InetAddress.getByName("127.0.0.2")));
    assertEquals("0:0:0:0:0:0:0:1", hostOf(InetAddress.getByName("::1")));
  }

  private static String hostOf(InetAddress address) throws Exception {
    RedisServer server = RedisServer.newRedisServer(0, address).start();
    try (Jedis client = connect(server)) {
      assertEquals("PONG", client.ping());
      return server.getHost();
    } finally {
      server.stop();
    }
  }

  @Test
  void anInterceptorAnswersOrNot() throws Exception {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    RedisServer server = RedisServer.newRedisServer().setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> {
      seen.add(name + parameters + state.getSelected() + state.isTransactionModeOn() + state.getClientName());
      switch (name) {
        case "get":
          return Response.bulkString(Slice.create("MOCK " + parameters.get(0)));
        case "echo":
          return MockExecutor.breakConnection(state);
        case "decr":
          return MockExecutor.proceed(state, "incrby", List.of(parameters.get(0), Slice.create("5")));
        case "lrange":
          return Response.array(Response.bulkString(Slice.create("a")), Response.NULL);
        case "strlen":
          return Response.error("ERR mine");
        default:
          return MockExecutor.proceed(state, name, parameters);
      }
    })).start();
    try (Jedis client = connect(server)) {
      assertEquals("MOCK k", client.get("k"));
      assertEquals("OK", client.set("k", "v"));
      assertEquals(5, client.decr("n"));
      assertEquals(6, client.incr("n"));
      List<String> list = client.lrange("list", 0, -1);
      assertEquals("a", list.get(0));
      assertNull(list.get(1));
      assertEquals("ERR mine", assertThrows(RuntimeException.class, () -> client.strlen("k")).getMessage());
      client.select(2);
      client.clientSetname("me");
      var transaction = client.multi();
      transaction.set("a", "b");
      assertEquals(List.of("OK"), transaction.exec());
      assertTrue(client.exists("a"));
      assertThrows(JedisConnectionException.class, () -> client.echo("hello"));
    }
    server.stop();
    assertEquals(List.of("get[k]0falsenull", "set[k, v]0falsenull", "decr[n]0falsenull", "incr[n]0falsenull", "lrange[list, 0, -1]0falsenull",
        "strlen[k]0falsenull", "select[2]0falsenull", "client[SETNAME, me]2falsenull", "multi[]2falseme", "set[a, b]2trueme", "exec[]2trueme",
        "exists[a]2falseme", "echo[hello]2falseme"), seen);
  }

  @Test
  void whatAnInterceptorKnowsOfTheClient() throws Exception {
    List<Object> known = new ArrayList<>();
    RedisServer server = RedisServer.newRedisServer();
    server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> {
      synchronized (state.lock()) {
        known.addAll(List.of(state.getPort(), state.getServerHost(), state.isClientConnected(), state.owner().isConnected(),
            state.owner().getPort(), state.owner().getServerHost(), state.owner().options() == server.options(),
            state.getClock() == server.getClock()));
      }
      state.owner().sendResponse(Response.bulkString(Slice.create("sent")), name);
      return Response.SKIP;
    })).start();
    try (Jedis client = connect(server)) {
      assertEquals("sent", client.get("k"));
    }
    assertEquals(List.of(server.getBindPort(), "127.0.0.1", true, true, server.getBindPort(), "127.0.0.1", true, true), known);
    server.stop();
  }

  @Test
  void anInterceptorChangesTheParameters() throws Exception {
    RedisServer server = new RedisServer().setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> {
      if (name.equals("rpush")) {
        parameters.set(1, Slice.create("first"));
        parameters.add(Slice.create("last"));
      }
      return MockExecutor.proceed(state, name, parameters);
    })).start();
    try (Jedis client = connect(server)) {
      client.rpush("list", "a", "b");
      assertEquals(List.of("first", "b", "last"), client.lrange("list", 0, -1));
    }
    server.stop();
  }

  @Test
  void anInterceptorThatWaitsIsInterrupted() throws Exception {
    var waits = new CountDownLatch(1);
    var interrupted = new CountDownLatch(1);
    RedisServer server = new RedisServer().setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> {
      if (name.equals("get")) {
        waits.countDown();
        try {
          new CountDownLatch(1).await();
        } catch (InterruptedException e) {
          interrupted.countDown();
        }
      }
      return MockExecutor.proceed(state, name, parameters);
    })).start();
    try (Jedis client = new Jedis(server.getHost(), server.getBindPort(), 60_000)) {
      var get = CompletableFuture.supplyAsync(
          () -> assertThrows(JedisConnectionException.class, () -> client.get("k")));
      waits.await();
      server.stop();
      interrupted.await();
      get.get();
    }
  }

  @Test
  void executeOnlyCountsTheCommandsOfAll() throws Exception {
    RedisServer server = RedisServer.newRedisServer().setOptions(ServiceOptions.executeOnly(3)).start();
    try (Jedis one = connect(server); Jedis two = connect(server)) {
      assertEquals("OK", one.set("k", "v"));
      assertEquals("v", two.get("k"));
      assertEquals("OK", one.set("k", "v"));
      assertThrows(JedisConnectionException.class, () -> one.set("k", "v"));
      assertThrows(JedisConnectionException.class, () -> two.set("k", "v"));
    }
    server.stop();
  }

  @Test
  void optionsChangeWhileItRuns() throws Exception {
    RedisServer server = RedisServer.newRedisServer().setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> Response.OK)).start();
    try (Jedis client = connect(server)) {
      assertEquals("OK", client.get("k"));
      assertSame(server, server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> Response.NULL)));
      assertNull(client.get("k"));
      server.setOptions(ServiceOptions.defaultOptions());
      assertEquals(1, client.incr("k"));
      assertThrows(NullPointerException.class, () -> server.setOptions(null));
    }
    server.stop();
  }

  @Test
  void theFirstInterceptorComesWhileItRuns() throws Exception {
    RedisServer server = RedisServer.newRedisServer().start();
    int port = server.getBindPort();
    try (Jedis client = connect(server)) {
      client.set("k", "v");
    }
    server.setOptions(ServiceOptions.withInterceptor((state, name, parameters) ->
        name.equals("echo") ? Response.OK : MockExecutor.proceed(state, name, parameters)));
    assertEquals(port, server.getBindPort());
    try (Jedis client = connect(server)) {
      assertEquals("OK", client.echo("hello"));
      assertEquals("v", client.get("k"));
    }
    server.stop();
  }

  @Test
  void optionsDoNotChange() {
    ServiceOptions options = ServiceOptions.defaultOptions();
    ServiceOptions cluster = options.withClusterModeEnabled();
    assertFalse(options.isClusterModeEnabled());
    assertTrue(cluster.isClusterModeEnabled());
    var interceptor = ServiceOptions.executeOnly(1).getCommandInterceptor();
    assertSame(interceptor, ServiceOptions.withInterceptor(interceptor).withClusterModeEnabled().getCommandInterceptor());
  }

  @Test
  void clusterMode() throws Exception {
    RedisServer server = RedisServer.newRedisServer().setOptions(ServiceOptions.defaultOptions().withClusterModeEnabled()).start();
    try (JedisCluster client = new JedisCluster(Set.of(new HostAndPort(server.getHost(), server.getBindPort())))) {
      client.set("k", "v");
      assertEquals("v", client.get("k"));
      assertEquals(Set.of("127.0.0.1:" + server.getBindPort()), client.getClusterNodes().keySet());
    }
    server.stop();
  }

  @Test
  void clusterModeWithAnInterceptor() throws Exception {
    List<String> seen = Collections.synchronizedList(new ArrayList<>());
    RedisServer server = RedisServer.newRedisServer().setOptions(ServiceOptions.withInterceptor((state, name, parameters) -> {
      seen.add(name);
      return MockExecutor.proceed(state, name, parameters);
    }).withClusterModeEnabled()).start();
    try (JedisCluster client = new JedisCluster(Set.of(new HostAndPort(server.getHost(), server.getBindPort())))) {
      client.set("k", "v");
      assertEquals("v", client.get("k"));
      assertEquals(Set.of("127.0.0.1:" + server.getBindPort()), client.getClusterNodes().keySet());
      assertTrue(seen.containsAll(List.of("set", "get")));
    }
    server.stop();
  }

  @Test
  void theClock() throws Exception {
    RedisServer server = RedisServer.newRedisServer();
    assertThrows(NullPointerException.class, () -> server.setClock(null));
    server.setClock(Clock.fixed(Instant.ofEpochSecond(1_900_000_000), ZoneOffset.UTC));
    server.start();
    try (Jedis client = connect(server)) {
      assertEquals(List.of("1900000000", "0"), client.time());
      client.setex("k", 10, "v");
      assertEquals(10, client.ttl("k"));
      server.setClock(Clock.fixed(Instant.ofEpochSecond(1_900_000_009), ZoneOffset.UTC));
      assertEquals(1, client.ttl("k"));
      server.setClock(Clock.fixed(Instant.ofEpochSecond(1_900_000_010), ZoneOffset.UTC));
      assertNull(client.get("k"));
      assertNull(client.blpop(0.1, "list")); // its timeout is of this machine's time
      server.setClock(Clock.fixed(Instant.ofEpochSecond(1_000_000_000), ZoneOffset.UTC));
      assertEquals(List.of("1000000000", "0"), client.time());
    }
    server.stop();
  }

  @Test
  void replies() {
    Slice a = Slice.create("a");
    Slice b = Slice.create("b");
    assertEquals("+OK\r\n", Response.OK.toString());
    assertEquals("+QUEUED\r\n", Response.QUEUED.toString());
    assertEquals("$-1\r\n", Response.NULL.toString());
    assertEquals("*0\r\n", Response.EMPTY_ARRAY.toString());
    assertEquals("*-1\r\n", Response.NULL_ARRAY.toString());
    assertEquals("Skip this submission", Response.SKIP.toString());
    assertEquals("\r\n", Response.LINE_SEPARATOR);
    assertEquals("$2\r\né\r\n", Response.bulkString(Slice.create("é")).toString());
    assertEquals("$-1\r\n", Response.bulkString(null).toString());
    assertEquals("-ERR a  b\r\n", Response.error("ERR a\r\nb").toString());
    assertEquals("+a\r\n", Response.simpleString("a").toString());
    assertEquals(":-5\r\n", Response.integer(-5).toString());
    for (double x : new double[] {0.1, 0.5, 1.5, 2.5, -1.5, 3, 1e20}) {
      assertEquals(":" + String.format("%.0f", x) + "\r\n", Response.doubleValue(x).toString());
    }
    assertEquals("*2\r\n+OK\r\n$-1\r\n", Response.array(Response.OK, Response.NULL).toString());
    assertEquals(Response.array(a, b), Response.array(List.of(a, b)));
    assertEquals("*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$1\r\nb\r\n", Response.publishedMessage(a, b).toString());
    assertEquals("*4\r\n$8\r\npmessage\r\n$1\r\na\r\n$1\r\na\r\n$1\r\nb\r\n", Response.publishedPMessage(a, a, b).toString());
    assertEquals("*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n", Response.subscribedToChannel(a, 1).toString());
    assertEquals("*3\r\n$10\r\npsubscribe\r\n$1\r\na\r\n:1\r\n", Response.psubscribedToPattern(a, 1).toString());
    assertEquals("*3\r\n$11\r\nunsubscribe\r\n$-1\r\n:0\r\n", Response.unsubscribe(null, 0).toString());
    assertEquals("*3\r\n$12\r\npunsubscribe\r\n$1\r\na\r\n:0\r\n", Response.punsubscribe(a, 0).toString());
    assertEquals("*2\r\n$4\r\npong\r\n$1\r\na\r\n", Response.pongInSubscribeMode(a).toString());
  }

  @Test
  void slices() {
    Slice slice = Slice.create("ab");
    assertEquals(slice, Slice.create(new byte[] {'a', 'b'}));
    assertEquals(slice.hashCode(), Slice.create("ab").hashCode());
    assertNotEquals(slice, Slice.create("ac"));
    assertTrue(slice.compareTo(Slice.create("ac")) < 0 && slice.compareTo(Slice.create("a")) > 0);
    assertTrue(Slice.create(new byte[] {(byte) 0xff}).compareTo(slice) > 0);
    assertEquals(2, slice.length());
    assertEquals(0, Slice.empty().length());
    slice.data()[0] = 'x';
    assertArrayEquals(new byte[] {'a', 'b'}, slice.data());
    assertThrows(NullPointerException.class, () -> Slice.create((String) null));
  }
}
