package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.exceptions.JedisAccessControlException;
import redis.clients.jedis.exceptions.JedisConnectionException;
import redis.clients.jedis.params.SetParams;

/** Starting and ending the process. */
class ServerTest {
  @Test
  void itEnds() {
    long pid;
    try (var server = Server.start("--maxmemory", "10mb")) {
      assertEquals(List.of("maxmemory", "10485760"), server.command("CONFIG", "GET", "maxmemory"));
      assertTrue(server.log().contains("Ready to accept connections"));
      pid = server.pid();
    }
    assertFalse(ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false));
  }

  @Test
  void worldsAreClosedWithIt() {
    var server = Server.start();
    var used = server.world();
    used.command("SET", "k", "v");
    var unused = server.world();
    server.close();
    server.close();
    used.close();
    unused.close();
    var error = assertThrows(IllegalStateException.class, () -> unused.command("PING"));
    assertEquals("the server is closed", error.getMessage());
    assertThrows(UncheckedIOException.class, () -> used.command("PING"));
  }

  @Test
  void aCommandHasAWord() {
    try (var server = Server.start()) {
      assertThrows(IllegalArgumentException.class, server::command);
      assertEquals("PONG", server.command("PING"));
    }
  }

  @Test
  void itHasAPassword() {
    try (var server = Server.start("--requirepass", "se:cret/ +"); var world = server.world("orders")) {
      assertEquals("redis://world:orders%3Ase%3Acret%2F%20%2B@127.0.0.1:" + server.port(), world.url().toString());
      try (var client = new Jedis(world.url())) {
        client.set("k", "v");
      }
      assertEquals("v", world.command("GET", "k"));
      assertEquals(0L, server.command("EXISTS", "k"));
      try (var stranger = new Jedis(server.host(), server.port())) {
        assertThrows(JedisAccessControlException.class, () -> stranger.get("k"));
      }
    }
  }

  @Test
  void itSpeaksTLS() {
    try (var server = Server.start("--tls-self-signed", "--requirepass", "secret"); var world = server.world("orders")) {
      assertEquals("rediss://world:orders%3Asecret@127.0.0.1:" + server.port(), world.url().toString());
      try (var client = new Jedis(world.url(), server.tls().getSocketFactory(), null, null)) {
        client.set("k", "v", SetParams.setParams().ex(3600));
        assertEquals("v", world.command("GET", "k"));
        world.clock().advance(Duration.ofHours(1));
        assertFalse(client.exists("k"));
      }
      assertThrows(JedisConnectionException.class, () -> new Jedis(world.url()).close(), "it does not trust the certificate");
    }
  }

  /** The options are in junit-platform.properties. */
  @Test
  @ExtendWith(MiniserverExtension.class)
  void theExtensionPassesOptions(Server server) {
    assertEquals(List.of("maxmemory", "104857600"), server.command("CONFIG", "GET", "maxmemory"));
  }

  @Test
  void aWrongOptionIsTold() {
    var error = assertThrows(IllegalStateException.class, () -> Server.start("--no-such-option", "1"));
    assertTrue(error.getMessage().contains("unknown setting"), error.getMessage());
  }

  @Test
  void noProgram() {
    assertThrows(UncheckedIOException.class, () -> Server.start(Path.of("/no/such/program")));
  }

  @Test
  void aKilledTestLeavesNoServer() throws Exception {
    var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    var test = new ProcessBuilder(java, "-cp", System.getProperty("java.class.path"), Killed.class.getName()).start();
    long pid = Long.parseLong(test.inputReader().readLine());
    var server = ProcessHandle.of(pid).orElseThrow();
    test.destroyForcibly();
    server.onExit().get();
  }

  /** A program that starts a server and waits. */
  public static final class Killed {
    public static void main(String[] args) throws Exception {
      System.out.println(Server.start().pid());
      System.in.read();
    }
  }
}
