package io.github.miniserver.jedismock;

import io.github.miniserver.jedismock.datastructures.Slice;
import io.github.miniserver.jedismock.server.Response;
import io.github.miniserver.jedismock.server.ServiceOptions;
import io.github.miniserver.jedismock.storage.OperationExecutorState;
import io.github.miniserver.proxy.Link;
import io.github.miniserver.proxy.Proxy;
import io.github.miniserver.testkit.ReplyException;
import io.github.miniserver.testkit.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * A server on a port of this machine. While it has an interceptor or a clock of the test, clients are connected to this process, which
 * passes their commands on; otherwise they are connected to the server itself. Between {@link #stop} and the next {@link #start} the
 * data are kept.
 */
public class RedisServer {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final int HIGHEST_PORT = 65535;

  private final int bindPort;
  private final InetAddress bindAddress;
  private volatile ServiceOptions options = ServiceOptions.defaultOptions();
  private volatile Clock clock = Clock.systemDefaultZone();
  private volatile boolean clockIsSet;
  private final Object lock = new Object(); // held to start and to stop
  private volatile Server server; // null while it is stopped
  private volatile Proxy proxy; // null while clients are connected to the server itself
  private byte[] data; // what it held when it was stopped
  private final Object shared = new Object();
  private long shown = Long.MIN_VALUE; // what the server's clock shows, in milliseconds since 1970

  /** Makes a server that will listen to a free port of 127.0.0.1. */
  public RedisServer() {
    this(0);
  }

  /** Makes a server that will listen to a port of 127.0.0.1; 0 is for a free one. */
  public RedisServer(int port) {
    this(port, LOOPBACK);
  }

  /** Makes a server that will listen to a port of an address; null is for 127.0.0.1. */
  public RedisServer(int port, InetAddress address) {
    bindPort = port;
    bindAddress = address == null ? LOOPBACK : address;
  }

  public static RedisServer newRedisServer() {
    return new RedisServer();
  }

  public static RedisServer newRedisServer(int port) {
    return new RedisServer(port);
  }

  public static RedisServer newRedisServer(int port, InetAddress address) {
    return new RedisServer(port, address);
  }

  /**
   * Sets the options. An interceptor gets the next command already; the first one of a running server ends the connections that its
   * clients have, unless there is a clock. Cluster mode begins with the next start.
   */
  public RedisServer setOptions(ServiceOptions options) {
    Objects.requireNonNull(options);
    this.options = options;
    interpose();
    return this;
  }

  /**
   * Sets the clock by which keys expire: each command has the time that it shows then. If the server is running without an interceptor
   * or another clock, the connections of its clients end.
   */
  public RedisServer setClock(Clock clock) {
    this.clock = Objects.requireNonNull(clock);
    clockIsSet = true;
    interpose();
    return this;
  }

  /** Returns the options. */
  public ServiceOptions options() {
    return options;
  }

  /** Returns the clock that was set, or that of the machine. */
  public Clock getClock() {
    return clock;
  }

  /**
   * Starts the server.
   *
   * @throws BindException if the port is taken
   * @throws IllegalStateException if it is running
   * @throws IllegalArgumentException if there is no such port
   */
  public RedisServer start() throws IOException {
    synchronized (lock) {
      if (server != null) {
        throw new IllegalStateException("the server is running");
      }
      if (bindPort < 0 || bindPort > HIGHEST_PORT) {
        throw new IllegalArgumentException("Port value out of range: " + bindPort);
      }
      boolean between = isBetween();
      server = launch(between ? LOOPBACK : bindAddress, between ? 0 : bindPort);
      if (between) {
        try {
          listen(bindPort, server.port());
        } catch (IOException | RuntimeException e) {
          server.close();
          server = null;
          throw e;
        }
      }
      return this;
    }
  }

  /** Reports whether clients must be connected to this process. The server itself serves this machine only. */
  private boolean isBetween() {
    return options.intercepts() || clockIsSet || !bindAddress.isLoopbackAddress();
  }

  private Server launch(InetAddress address, int port) throws IOException {
    List<String> words = new ArrayList<>(List.of("--bind", address.getHostAddress(), "--port", "" + port));
    words.addAll(List.of("--enable-protected-configs", "yes")); // for the directory of a snapshot
    if (options.isClusterModeEnabled()) {
      words.addAll(List.of("--cluster-enabled", "yes"));
    }
    Path file = null;
    if (data != null) {
      file = Files.createTempFile("miniserver", ".rdb");
      Files.write(file, data);
      words.addAll(List.of("--load", file.toString()));
    }
    try {
      Server started = Server.start(words.toArray(String[]::new));
      data = null;
      shown = Long.MIN_VALUE;
      return started;
    } catch (IllegalStateException e) {
      if (e.getMessage().contains("Address already in use")) {
        throw (IOException) new BindException("Address already in use").initCause(e);
      }
      throw e;
    } finally {
      if (file != null) {
        Files.delete(file);
      }
    }
  }

  /** Puts a proxy before the server, which listens to another port. Clients of a cluster are told the proxy's. */
  private void listen(int port, int behind) throws IOException {
    proxy = new Proxy(bindAddress, port, new InetSocketAddress(server.host(), behind), this::handler);
    server.command("CONFIG", "SET", "cluster-announce-ip", host(), "cluster-announce-port", proxy.port());
  }

  /** If clients are connected to the server itself and must not be, moves it to another port, and ends their connections. */
  private void interpose() {
    synchronized (lock) {
      if (server == null || proxy != null || !isBetween()) {
        return;
      }
      try {
        int behind = freePort();
        server.command("CONFIG", "SET", "port", behind);
        listen(server.port(), behind);
        server.command("CLIENT", "KILL", "TYPE", "normal");
        server.command("CLIENT", "KILL", "TYPE", "pubsub");
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private static int freePort() throws IOException {
    try (var socket = new ServerSocket(0, 1, LOOPBACK)) {
      return socket.getLocalPort();
    }
  }

  private Proxy.Handler handler(Link link) {
    var state = new OperationExecutorState(new RedisClient(this, link));
    return words -> {
      String name = text(words.get(0)).toLowerCase(Locale.ROOT);
      List<Slice> parameters = words.subList(1, words.size()).stream().map(Slice::create).toList();
      Slice reply = intercept(state, name, parameters);
      return reply == Response.SKIP ? null : reply.data();
    };
  }

  /** What goes wrong in the interceptor becomes an error that the client gets at once. */
  private Slice intercept(OperationExecutorState state, String name, List<Slice> parameters) throws IOException {
    try {
      Slice reply = options.getCommandInterceptor().execCommand(state, name, parameters);
      return reply != null ? reply : Response.error("ERR the interceptor has returned null for the command '" + name + "'");
    } catch (RedisClient.Disconnected e) {
      throw e.getCause();
    } catch (RuntimeException | AssertionError e) {
      return Response.error("ERR the interceptor has thrown " + e);
    }
  }

  /** Sets the server's clock to what the test's clock shows, if there is one. */
  void follow() {
    Server server = this.server;
    if (!clockIsSet || server == null) {
      return;
    }
    synchronized (shared) {
      long now = clock.millis();
      if (shown == Long.MIN_VALUE) {
        server.command("MINI.CLOCK", "FREEZE");
      }
      if (now != shown) {
        server.command("MINI.CLOCK", "SET", now);
        shown = now;
      }
    }
  }

  /** Ends the wait of a client that is blocked, as at its timeout. */
  void unblock(String id) {
    Server server = this.server;
    if (server != null) {
      server.command("CLIENT", "UNBLOCK", id);
    }
  }

  /** Returns what clients lock to change what they share. */
  Object shared() {
    return shared;
  }

  boolean hasClock() {
    return clockIsSet;
  }

  private static String text(byte[] word) {
    return new String(word, StandardCharsets.UTF_8);
  }

  /**
   * Ends the server and the connections of its clients.
   *
   * @throws NullPointerException if it is not running
   */
  public void stop() throws IOException {
    synchronized (lock) {
      Server ended = running();
      try (ended; var clients = proxy) {
        data = dataOf(ended);
      } finally {
        server = null;
        proxy = null;
      }
    }
  }

  /** Returns the data as in a file of Redis; null if there are none, or if the server has ended already. */
  private static byte[] dataOf(Server server) throws IOException {
    try {
      if (!server.command("INFO", "keyspace").toString().contains("keys=")) {
        return null;
      }
      return snapshotOf(server);
    } catch (UncheckedIOException | ReplyException e) {
      return null;
    }
  }

  private static byte[] snapshotOf(Server server) throws IOException {
    Path dir = Files.createTempDirectory("miniserver");
    Path file = dir.resolve("dump.rdb");
    try {
      server.command("CONFIG", "SET", "dir", dir);
      server.command("SAVE");
      return Files.readAllBytes(file);
    } finally {
      Files.deleteIfExists(file);
      Files.delete(dir);
    }
  }

  /** Reports whether the server is running. */
  public boolean isRunning() {
    return server != null;
  }

  /**
   * Returns the address for clients.
   *
   * @throws NullPointerException if the server is not running
   */
  public String getHost() {
    running();
    return host();
  }

  private String host() {
    return (bindAddress.isAnyLocalAddress() ? LOOPBACK : bindAddress).getHostAddress();
  }

  /**
   * Returns the port for clients.
   *
   * @throws NullPointerException if the server is not running
   */
  public int getBindPort() {
    Server server = running();
    Proxy before = proxy;
    return before == null ? server.port() : before.port();
  }

  private Server running() {
    return Objects.requireNonNull(server, "JedisMock is not running");
  }
}
