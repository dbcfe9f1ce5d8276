package io.github.miniserver.jedismock;

import io.github.miniserver.jedismock.datastructures.Slice;
import io.github.miniserver.jedismock.server.Response;
import io.github.miniserver.jedismock.server.ServiceOptions;
import io.github.miniserver.jedismock.storage.OperationExecutorState;
import io.github.miniserver.proxy.Call;
import io.github.miniserver.proxy.Link;
import io.github.miniserver.proxy.Proxy;
import io.github.miniserver.testkit.ReplyException;
import io.github.miniserver.testkit.Server;
import io.github.miniserver.testkit.World;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import javax.net.SocketFactory;

/**
 * A server on a port of this machine. While it has an interceptor or a clock of the test, clients are connected to this
 * process, which passes their commands on; otherwise they are connected to the server itself. Between {@link #stop} and
 * the next {@link #start} the data are kept.
 *
 * <p>If the environment variable MINISERVER_URL names a server that others have started, this is a world of it, unless
 * it is to be in cluster mode. Clients are connected to this process then, and {@link #stop} removes the data.
 */
public class RedisServer {
  private static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();
  private static final int HIGHEST_PORT = 65535;

  private final int bindPort;
  private final InetAddress bindAddress;
  private final String url; // of a server that others have started; null if there is none
  private volatile ServiceOptions options = ServiceOptions.defaultOptions();
  private volatile Clock clock = Clock.systemDefaultZone();
  private volatile boolean clockIsSet;
  private final Object lock = new Object(); // held to start and to stop
  private volatile Server server; // null while it is stopped
  private volatile World world; // of the server: what clients are in
  private volatile boolean attached; // others have started the server
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
    this(port, address, System.getenv("MINISERVER_URL"));
  }

  RedisServer(int port, InetAddress address, String url) {
    bindPort = port;
    bindAddress = address == null ? LOOPBACK : address;
    this.url = url == null || url.isEmpty() ? null : url;
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
   * Sets the options. An interceptor gets the next command already; the first one of a running server ends the
   * connections that its clients have, unless there is a clock. Cluster mode begins with the next start.
   */
  public RedisServer setOptions(ServiceOptions options) {
    Objects.requireNonNull(options);
    this.options = options;
    interpose();
    return this;
  }

  /**
   * Sets the clock by which keys expire: each command has the time that it shows then. If the server is running without
   * an interceptor or another clock, the connections of its clients end.
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
      attached = url != null && !options.isClusterModeEnabled();
      boolean between = isBetween();
      server = attached ? Server.attach(url) : launch(between ? LOOPBACK : bindAddress, between ? 0 : bindPort);
      world = attached ? server.world() : server.world("default");
      shown = Long.MIN_VALUE;
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
    return options.intercepts() || clockIsSet || !bindAddress.isLoopbackAddress() || attached;
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
    proxy = new Proxy(bindAddress, port, () -> connect(behind), this::handler);
    if (options.isClusterModeEnabled()) {
      world.command("CONFIG", "SET", "cluster-announce-ip", host(), "cluster-announce-port", proxy.port());
    }
  }

  /** Connects to the server for a client, which is in the world from the beginning. */
  private Socket connect(int port) throws IOException {
    if (!attached) {
      return new Socket(server.host(), port);
    }
    var sockets = server.tls() == null ? SocketFactory.getDefault() : server.tls().getSocketFactory();
    Socket socket = sockets.createSocket(server.host(), port);
    try {
      Call.login(socket, world.username(), world.password());
      return socket;
    } catch (IOException e) {
      socket.close();
      throw e;
    }
  }

  /**
   * If clients are connected to the server itself and must not be, moves it to another port, and ends their
   * connections.
   */
  private void interpose() {
    synchronized (lock) {
      if (server == null || proxy != null || !isBetween()) {
        return;
      }
      try {
        int behind = freePort();
        world.command("CONFIG", "SET", "port", behind);
        listen(server.port(), behind);
        world.command("CLIENT", "KILL", "TYPE", "normal");
        world.command("CLIENT", "KILL", "TYPE", "pubsub");
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
      List<Slice> parameters = new ArrayList<>(); // which an interceptor may change
      words.subList(1, words.size()).forEach(word -> parameters.add(Slice.create(word)));
      Slice reply = intercept(state, name, parameters);
      return reply == Response.SKIP ? null : reply.data();
    };
  }

  /** What goes wrong in the interceptor, or in the clock of the test, becomes an error that the client gets at once. */
  private Slice intercept(OperationExecutorState state, String name, List<Slice> parameters) throws IOException {
    try {
      Slice reply = options.getCommandInterceptor().execCommand(state, name, parameters);
      return reply != null ? reply
          : Response.error("ERR the interceptor has returned null for the command '" + name + "'");
    } catch (RedisClient.Disconnected e) {
      throw e.getCause();
    } catch (RuntimeException | AssertionError e) {
      return Response.error("ERR the " + (options.intercepts() ? "interceptor" : "clock") + " has thrown " + e);
    }
  }

  /** Sets the server's clock to what the test's clock shows, if there is one. */
  void follow() {
    if (!clockIsSet || server == null) {
      return;
    }
    synchronized (shared) {
      long now = clock.millis();
      if (shown == Long.MIN_VALUE) {
        world.clock().freeze();
      }
      if (now != shown) {
        world.clock().set(Instant.ofEpochMilli(now));
        shown = now;
      }
    }
  }

  /** Ends the wait of a client that is blocked, as at its timeout. */
  void unblock(String id) {
    if (server != null) {
      world.command("CLIENT", "UNBLOCK", id);
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
        data = attached ? null : dataOf(world);
        leave(clients);
      } finally {
        server = null;
        proxy = null;
      }
    }
  }

  /** Ends the connections of the clients, and removes the world unless the server has ended. */
  private void leave(Proxy clients) throws IOException {
    if (clients != null) {
      clients.close();
    }
    try {
      world.close();
    } catch (UncheckedIOException e) {
      // it is gone already
    }
  }

  /** Returns the data as in a file of Redis; null if there are none, or if the server has ended already. */
  private static byte[] dataOf(World world) throws IOException {
    try {
      if (!world.command("INFO", "keyspace").toString().contains("keys=")) {
        return null;
      }
      return snapshotOf(world);
    } catch (UncheckedIOException | ReplyException e) {
      return null;
    }
  }

  private static byte[] snapshotOf(World world) throws IOException {
    Path dir = Files.createTempDirectory("miniserver");
    Path file = dir.resolve("dump.rdb");
    try {
      world.command("CONFIG", "SET", "dir", dir);
      world.command("SAVE");
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
