package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.params.SetParams;

/** Servers that others have started. */
class AttachTest {
  private static Server running;

  @BeforeAll
  static void start() {
    running = Server.start("--requirepass", "se:cret/");
  }

  @AfterAll
  static void end() {
    running.close();
  }

  private static List<String> names(Server server) {
    return ((List<?>) server.command("MINI.WORLD", "LIST")).stream().map(entry -> (String) ((List<?>) entry).get(1)).toList();
  }

  @Test
  void eachHasWorldsOfItsOwn() {
    World yours;
    try (var one = Server.attach(running.url()); var other = Server.attach(running.url())) {
      assertEquals(running.pid(), one.pid());
      assertEquals("", one.log());
      World mine = one.world();
      yours = other.world();
      assertNotEquals(mine.name(), yours.name());
      try (var client = new Jedis(mine.url())) {
        client.set("k", "v");
      }
      assertEquals("v", mine.command("GET", "k"));
      assertNull(yours.command("GET", "k"));
      mine.clock().advance(Duration.ofHours(1));
      mine.close();
      assertFalse(names(running).contains(mine.name()));
      assertTrue(names(running).contains(yours.name()));
    }
    assertFalse(names(running).contains(yours.name()));
    assertEquals("PONG", running.command("PING"));
  }

  @Test
  void theEnvironmentHasTheAddress() {
    var environment = Map.of("MINISERVER_URL", running.url(), "MINISERVER_BINARY", Binary.find(null, System.getenv()).toString());
    try (var server = Server.start(null, environment); var own = Server.start(null, environment, "--maxmemory", "10mb")) {
      assertEquals(running.pid(), server.pid());
      assertNotEquals(running.pid(), own.pid());
    }
  }

  /** Collects what the kit logs. */
  private static final class Told extends Handler implements AutoCloseable {
    private final Logger logger = Logger.getLogger(Server.class.getName());
    private final List<String> messages = new ArrayList<>();

    Told() {
      logger.setUseParentHandlers(false);
      logger.addHandler(this);
    }

    @Override
    public void publish(LogRecord record) {
      messages.add(record.getMessage());
    }

    @Override
    public void flush() {}

    @Override
    public void close() {
      logger.removeHandler(this);
      logger.setUseParentHandlers(true);
    }
  }

  @Test
  void whatIsLeftBehindIsToldAndRemoved() {
    try (var told = new Told()) {
      Server server = Server.attach(running.url());
      World world = server.world();
      World closed = server.world();
      closed.command("SET", "k", "v");
      closed.close();
      server.world("orders").command("SET", "k", "v");
      var client = new Jedis(world.url());
      client.clientSetname("worker");
      for (int i = 0; i < 20; i++) {
        client.set("k" + i, "v");
      }
      client.set("session", "alice", SetParams.setParams().ex(60));
      client.set("lock", "me", SetParams.setParams().nx());
      server.close();
      assertEquals(1, told.messages.size(), told.messages.toString());
      String message = told.messages.get(0);
      String pattern = "left behind in the world " + world.name() + ": client \\d+ at \\S+ named worker; lock 0 \"lock\" of client .* more";
      assertTrue(message.matches(pattern), message);
      assertFalse(names(running).contains(world.name()));
      server.close();
      try (var orders = running.world("orders")) { // that has a name which others may know
        assertEquals("v", orders.command("GET", "k"));
      }
    }
  }

  @Test
  void aKilledProcessLeavesNoWorlds() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var test = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Killed.class.getName(), running.url()).start();
    String name = test.inputReader().readLine();
    assertTrue(names(running).contains(name));
    test.destroyForcibly();
    while (names(running).contains(name)) {
      Thread.sleep(10);
    }
  }

  /** A program that begins a world and waits. */
  public static final class Killed {
    public static void main(String[] args) throws Exception {
      World world = Server.attach(args[0]).world();
      world.command("SET", "k", "v");
      System.out.println(world.name());
      System.in.read();
    }
  }

  @Test
  void itSpeaksTLS() {
    try (var secure = Server.start("--tls-self-signed", "--requirepass", "secret");
        var server = Server.attach(secure.url());
        var world = server.world();
        var client = new Jedis(world.url(), server.tls().getSocketFactory(), null, null)) {
      assertEquals("rediss://:secret@127.0.0.1:" + secure.port(), secure.url());
      assertEquals(secure.certificate(), server.certificate());
      client.set("k", "v");
      assertEquals("v", world.command("GET", "k"));
    }
  }

  @Test
  void aServerThatEndsFirst() {
    try (var told = new Told()) {
      Server mortal = Server.start("--maxclients", "100");
      Server server = Server.attach(mortal.url());
      server.world().command("SET", "k", "v");
      mortal.close();
      server.close();
      assertTrue(told.messages.get(0).contains("is gone: "), told.messages.toString());
    }
  }

  private interface Answer {
    void to(Socket socket) throws IOException;
  }

  /** Listens, and lets an answer treat each connection. */
  private static ServerSocket listener(Answer answer) throws IOException {
    var listening = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    var thread = new Thread(() -> {
      try {
        while (true) {
          answer.to(listening.accept());
        }
      } catch (IOException e) {
        // The test has ended.
      }
    });
    thread.setDaemon(true);
    thread.start();
    return listening;
  }

  private static String url(ServerSocket listening) {
    return "redis://127.0.0.1:" + listening.getLocalPort();
  }

  private static final Map<String, String> IMPATIENT = Map.of("MINISERVER_START_TIMEOUT", "0.3");

  @Test
  void aServerThatStartsLater() throws IOException {
    var seen = new AtomicInteger();
    try (var listening = listener(socket -> {
      if (seen.incrementAndGet() < 3) { // as a port of a container may do before its server is there
        socket.close();
        return;
      }
      var server = new Socket(running.host(), running.port());
      copy(socket, server);
      copy(server, socket);
    }); var server = Server.attach(url(listening).replace("://", "://:se%3Acret%2F@"))) {
      assertEquals(running.pid(), server.pid());
    }
    assertTrue(seen.get() >= 3);
  }

  private static void copy(Socket from, Socket to) {
    var thread = new Thread(() -> {
      try {
        from.getInputStream().transferTo(to.getOutputStream());
        to.shutdownOutput();
      } catch (IOException e) {
        // The other direction has ended.
      }
    });
    thread.setDaemon(true);
    thread.start();
  }

  @Test
  void othersThatListenAndNobody() throws IOException {
    var kept = new ArrayList<Socket>();
    try (var listening = listener(kept::add)) {
      assertUnreachable(url(listening), "timed out");
    }
    try (var listening = listener(Socket::close)) {
      assertUnreachable(url(listening), "");
    }
    try (var listening = listener(socket -> socket.getOutputStream().write("SSH-2.0-OpenSSH\r\n".getBytes(StandardCharsets.US_ASCII)))) {
      assertUnreachable(url(listening), "unknown reply \"SSH-2.0-OpenSSH\"");
      assertUnreachable(url(listening).replace("redis:", "rediss:"), "SSL");
    }
    var gone = new ServerSocket(0);
    gone.close();
    assertUnreachable(url(gone), "Connection refused");
  }

  private static void assertUnreachable(String url, String reason) {
    var error = assertThrows(UncheckedIOException.class, () -> Server.attach(url, IMPATIENT));
    String message = error.getMessage();
    assertTrue(message.contains(url + " cannot be reached: ") && message.contains(reason), message);
  }

  @Test
  void aServerWithoutTheKit() throws IOException {
    Path binary = Binary.find(null, System.getenv());
    try (var program = new Program(binary, List.of("--port", "0", "--ready-json", "--exit-with-parent"), Map.of())) {
      String url = program.ready().address().toString();
      var error = assertThrows(IllegalStateException.class, () -> Server.attach(url));
      assertTrue(error.getMessage().startsWith(url + " has no test kit: start it with miniserver --test-kit yes"), error.getMessage());
    }
  }

  @Test
  void passwords() {
    String address = "127.0.0.1:" + running.port();
    var error = assertThrows(IllegalStateException.class, () -> Server.attach("redis://" + address));
    assertEquals("redis://" + address + " wants a password, as in redis://:PASSWORD@host:6379", error.getMessage());
    error = assertThrows(IllegalStateException.class, () -> Server.attach("redis://:wrong@" + address));
    assertTrue(error.getMessage().startsWith("redis://" + address + " does not let the kit in: WRONGPASS"), error.getMessage());
    try (var server = Server.attach("redis://default:se%3Acret%2F@" + address + "/0")) {
      assertEquals(running.pid(), server.pid());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"localhost:6379", "http://localhost", "redis://", "redis:///tmp/socket", "redis://alice:secret@localhost", "redis://:50%@localhost"})
  void badURLs(String url) {
    var error = assertThrows(IllegalArgumentException.class, () -> Server.attach(url));
    assertTrue(error.getMessage().startsWith("the URL of a server "), error.getMessage());
  }

  @Test
  void goodURLs() {
    assertEquals(new Address("redis", "my_redis", 6379, null), Address.of("redis://my_redis"));
    assertEquals(new Address("rediss", "::1", 7777, "a+b c"), Address.of("rediss://:a+b%20c@[::1]:7777/3"));
    assertEquals("redis://w:a%2Bb%20c@h:1", new Address("redis", "h", 1, null).url("w", "a+b c"));
  }

  @Test
  void processesShareAServer() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var builder = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Worker.class.getName());
    builder.environment().put("MINISERVER_URL", running.url());
    builder.redirectErrorStream(true);
    for (var worker : List.of(builder.start(), builder.start())) {
      String out = new String(worker.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertEquals("server " + running.pid() + ", count 1", out.strip());
    }
  }

  /** A program that counts in a world of its own. */
  public static final class Worker {
    public static void main(String[] args) {
      try (var server = Server.start(); var world = server.world()) {
        System.out.println("server " + server.pid() + ", count " + world.command("INCR", "k"));
      }
    }
  }
}
