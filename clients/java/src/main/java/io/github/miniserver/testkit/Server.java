package io.github.miniserver.testkit;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A miniserver process for tests. It ends with {@link #close}, or with this process. */
public final class Server implements AutoCloseable {
  private final Program program;
  private final Ready ready;
  private final AtomicInteger names = new AtomicInteger();
  private final SSLContext tls;
  private final String password;
  private Connection own;

  /**
   * Starts a server.
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
    List<String> all = new ArrayList<>(List.of("--port", "0", "--test-kit", "yes", "--ready-json", "--exit-with-parent"));
    all.addAll(List.of(options));
    try {
      return new Server(new Program(Binary.find(binary, environment), all, environment), passwordIn(options));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the value of --requirepass; null if there is none. */
  private static String passwordIn(String[] options) {
    int at = List.of(options).lastIndexOf("--requirepass");
    return at < 0 || at + 1 == options.length ? null : options[at + 1];
  }

  private Server(Program program, String password) throws IOException {
    this.program = program;
    this.password = password;
    ready = program.ready();
    tls = ready.certificate() == null ? null : trusting(ready.certificate());
  }

  /** Returns a context that trusts the certificate which PEM text begins with. */
  private static SSLContext trusting(String pem) throws IOException {
    try {
      var store = KeyStore.getInstance(KeyStore.getDefaultType());
      store.load(null, null);
      var in = new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII));
      store.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(store);
      var context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /** Returns what a client needs for a server that speaks TLS: it trusts the certificate of the server. Null without TLS. */
  public SSLContext tls() {
    return tls;
  }

  /** Returns the scheme of URLs: redis, or rediss for a server that speaks TLS. */
  String scheme() {
    return ready.scheme();
  }

  public String host() {
    return ready.host();
  }

  public int port() {
    return ready.port();
  }

  public long pid() {
    return ready.pid();
  }

  /** Returns what the server has logged. */
  public String log() {
    return program.log();
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
    return names.incrementAndGet() + "-" + safe.substring(0, Math.min(100, safe.length()));
  }

  /** Executes a command in the world of new connections. */
  public synchronized Object command(Object... words) {
    if (own == null) {
      own = connect("default");
    }
    return own.command(words);
  }

  Connection connect(String world) {
    return new Connection(host(), port(), world, password, scheme().equals("rediss") ? tls.getSocketFactory() : SocketFactory.getDefault());
  }

  /** Returns the password by which clients log in to a world as the user world. */
  String passwordOf(String world) {
    return password == null ? world : world + ":" + password;
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

  /** Ends the process. */
  @Override
  public void close() {
    if (own != null) {
      own.close();
    }
    program.close();
  }
}
