package io.github.miniserver.testkit;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.WeakHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/**
 * A running miniserver: one of its own that it starts, or one that others have started. Whatever needs a server gets it from {@link #start},
 * {@link #attach} or {@link MiniserverExtension}, which has one for the whole test run.
 *
 * <p>One that it has started ends with {@link #close}, or with this process. One that others have started runs on: close removes the worlds that
 * this object has named, and a warning in the log ({@link System.Logger}) says what was left behind in them.
 */
public final class Server implements AutoCloseable {
  private final Program program; // null if others have started it
  private final Address address;
  private final long pid;
  private final String certificate;
  private final String mark; // what the names of new worlds begin with
  private final AtomicInteger names = new AtomicInteger();
  private final Set<Connection> connections = Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
  private Connection own;
  private volatile boolean closed;

  /**
   * Starts a server. Without options, the one that the environment variable MINISERVER_URL names is attached to instead.
   *
   * @param options of the program, such as "--maxmemory", "10mb"; with "--requirepass" the URLs of worlds have the password, with
   *     "--tls-self-signed" they are for TLS
   */
  public static Server start(String... options) {
    return start(null, options);
  }

  /**
   * Starts a server.
   *
   * @param binary the path of the program; null for that in the environment variable MINISERVER_BINARY, or else for that in a jar
   *     of this platform, or else for the one in PATH
   */
  public static Server start(Path binary, String... options) {
    return start(binary, System.getenv(), options);
  }

  /** Starts a server, with what is looked for in an environment. */
  static Server start(Path binary, Map<String, String> environment, String... options) {
    String url = environment.getOrDefault("MINISERVER_URL", "");
    if (binary == null && options.length == 0 && !url.isEmpty()) {
      return attach(url, environment);
    }
    List<String> all = new ArrayList<>(List.of("--port", "0", "--test-kit", "yes", "--ready-json", "--exit-with-parent"));
    all.addAll(List.of(options));
    try {
      return new Server(new Program(Binary.find(binary, environment), all, environment), passwordIn(options));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Attaches to a server that others have started with the test kit.
   *
   * @param url such as redis://:secret@redis:6379
   */
  public static Server attach(String url) {
    return attach(url, System.getenv());
  }

  static Server attach(String url, Map<String, String> environment) {
    Address address = Address.of(url);
    return new Server(address, Service.attach(address, Program.patience(environment)));
  }

  /** Returns the value of --requirepass; null if there is none. */
  private static String passwordIn(String[] options) {
    int at = List.of(options).lastIndexOf("--requirepass");
    return at < 0 || at + 1 == options.length ? null : options[at + 1];
  }

  private Server(Program program, String password) {
    Ready ready = program.ready();
    this.program = program;
    address = new Address(ready.address().scheme(), ready.address().host(), ready.address().port(), password);
    pid = ready.pid();
    certificate = ready.certificate();
    mark = "";
  }

  private Server(Address address, Connection connection) {
    program = null;
    this.address = address;
    own = connection;
    pid = Service.pid(connection);
    certificate = connection.certificate();
    String unique = UUID.randomUUID().toString().substring(0, 8); // no other process has it
    connection.command("MINI.WORLD", "OWN", unique); // so that the worlds go if this process is killed
    mark = unique + "-";
  }

  /** Returns the URL of the server, by which other processes can attach to it; clients use those of worlds. */
  public String url() {
    return address.url("", address.password());
  }

  /** Returns the certificate that the server shows over TLS, as PEM, for a client that is to trust it; null without TLS. */
  public String certificate() {
    return certificate;
  }

  /** Returns what a client needs for a server that speaks TLS: it trusts the certificate of the server. Null without TLS. */
  public SSLContext tls() {
    return certificate == null ? null : Certificates.trusting(certificate);
  }

  Address address() {
    return address;
  }

  /** Returns what a server that this object has started listens on, as host:port; only those at the host that it names first. */
  List<String> addresses() {
    String host = program.ready().addresses().get(0).replaceFirst(":\\d+$", ":");
    return program.ready().addresses().stream().filter(a -> a.startsWith(host)).toList();
  }

  public String host() {
    return address.host();
  }

  public int port() {
    return address.port();
  }

  public long pid() {
    return pid;
  }

  /** Returns what the server has logged; "" if others have started it. */
  public String log() {
    return program == null ? "" : program.log();
  }

  /** Returns a new world. */
  public World world() {
    return world(freshName("world"));
  }

  /** Returns the world of that name. */
  public World world(String name) {
    return new World(this, name);
  }

  /** Returns a name for a world that no other has had, with a title that makes it recognizable. */
  public String freshName(String title) {
    String safe = title.replaceAll("[^A-Za-z0-9_.-]", "-");
    return mark + names.incrementAndGet() + "-" + safe.substring(0, Math.min(100, safe.length()));
  }

  /** Executes a command in the world of new connections. */
  public synchronized Object command(Object... words) {
    if (own == null) {
      own = connect("default");
    }
    return own.command(words);
  }

  Connection connect(String world) {
    if (closed) {
      throw new IllegalStateException("the server is closed");
    }
    var connection = new Connection(address, world);
    connections.add(connection);
    return connection;
  }

  /** Returns the password by which clients log in to a world as the user world. */
  String passwordOf(String world) {
    return address.password() == null ? world : world + ":" + address.password();
  }

  /** Removes what a world holds, and the world unless clients are left in it. */
  void drop(String name) {
    for (Object entry : (List<?>) command("MINI.WORLD", "LIST")) {
      List<?> world = (List<?>) entry; // name, its value, clients, their number ...
      if (world.get(1).equals(name)) {
        command("MINI.WORLD", "RESET", name);
        if (world.get(3).equals(0L)) {
          command("MINI.WORLD", "DROP", name);
        }
      }
    }
  }

  /**
   * Does to clients what a restart of the server at the same address does: their connections end, and cached scripts are gone. The
   * data of all worlds stay.
   */
  public void restart() {
    command("MINI.OUTAGE", "RESTART");
  }

  /** Restarts as a server that has saved nothing: all worlds are as after {@link World#reset}, but for their clocks. */
  public void restartEmpty() {
    command("MINI.OUTAGE", "RESTART", "EMPTY");
  }

  boolean isClosed() {
    return closed;
  }

  /** Ends the process, or leaves it if others have started it. Its worlds are closed then. */
  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (program == null && own != null) {
      try {
        leave();
      } catch (UncheckedIOException e) {
        warn(address + " is gone: " + e.getCause());
      }
    }
    closed = true;
    if (program != null) {
      program.close();
    }
    if (own != null) {
      own.close();
      own = null;
    }
    List.copyOf(connections).forEach(Connection::close);
  }

  /** Removes the worlds that have the mark in their names, and warns of what was left behind there. */
  private void leave() {
    List.copyOf(connections).forEach(Connection::leave);
    for (Object entry : (List<?>) command("MINI.WORLD", "LIST")) {
      String name = (String) ((List<?>) entry).get(1);
      if (!name.startsWith(mark)) {
        continue;
      }
      Connection connection = connect(name);
      List<String> left = Service.leftIn(connection);
      connection.leave();
      drop(name);
      if (!left.isEmpty()) {
        String more = left.size() > 10 ? "; and " + (left.size() - 10) + " more" : "";
        warn("left behind in the world " + name + ": " + String.join("; ", left.subList(0, Math.min(10, left.size()))) + more);
      }
    }
  }

  private static void warn(String message) {
    System.getLogger(Server.class.getName()).log(System.Logger.Level.WARNING, message);
  }
}
