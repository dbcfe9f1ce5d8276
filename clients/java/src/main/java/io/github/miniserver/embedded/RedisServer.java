package io.github.miniserver.embedded;

import io.github.miniserver.embedded.core.ExecutableProvider;
import io.github.miniserver.embedded.core.RedisServerBuilder;
import io.github.miniserver.testkit.Server;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** A process of miniserver on a port that was chosen. It ends with {@link #stop}, or with this process. */
public final class RedisServer extends RedisInstance {
  private final List<String> options;
  private final Consumer<String> err;
  private Server server;
  private int told; // lines of the log

  /** Makes a server for port 6379. */
  public RedisServer() throws IOException {
    this(DEFAULT_REDIS_PORT);
  }

  public RedisServer(int port) throws IOException {
    this(port, newRedisServer().port(port).buildCommandArgs(), false);
  }

  /** Makes a server for a port. The file is not used: the program is miniserver. */
  public RedisServer(int port, File executable) {
    this(port, RedisServerBuilder.command(port), false);
  }

  /** Makes a server for a port. The program is miniserver, whatever is provided. */
  public RedisServer(int port, ExecutableProvider executable) throws IOException {
    this(port);
  }

  /**
   * Makes a server.
   *
   * @param command the name of the program, which is not used, and its options, the port among them
   * @param forceStop is not used: the server always ends with this process
   */
  public RedisServer(int port, List<String> command, boolean forceStop) {
    this(port, command, forceStop, null, null);
  }

  /**
   * Makes a server.
   *
   * @param out is not used: miniserver writes its log to the standard error
   * @param err gets the lines of the log, when the server has started and when it has ended; null is for nobody
   */
  public RedisServer(int port, List<String> command, boolean forceStop, Consumer<String> out, Consumer<String> err) {
    super(port);
    this.options = List.copyOf(command.subList(1, command.size()));
    this.err = err == null ? out : err;
  }

  public static RedisServerBuilder newRedisServer() {
    return new RedisServerBuilder();
  }

  @Override
  void open() {
    server = launch();
    told = 0;
    tell();
  }

  /**
   * Starts the process, which lets clients of this machine use DEBUG, and change all settings, as Redis 6.2 did. With
   * the test kit it serves this machine only, unless it has a password: so without it, if need be.
   */
  private Server launch() {
    List<String> all = new ArrayList<>(List.of("--enable-debug-command", "local", "--enable-protected-configs",
        "local"));
    all.addAll(options);
    try {
      return Server.start(all.toArray(String[]::new));
    } catch (IllegalStateException e) {
      if (!e.getMessage().contains("test-kit yes")) {
        throw e;
      }
      all.addAll(List.of("--test-kit", "no"));
      return Server.start(all.toArray(String[]::new));
    }
  }

  /** Gives the listener the lines of the log that it has not got yet. */
  private void tell() {
    if (err != null) {
      List<String> lines = server.log().lines().toList();
      lines.subList(told, lines.size()).forEach(err);
      told = lines.size();
    }
  }

  @Override
  void close() {
    tell();
    server.close();
  }

  /** Returns the password that its options have; null if there is none. */
  String password() {
    int at = options.lastIndexOf("--requirepass");
    return at < 0 || at + 1 == options.size() ? null : options.get(at + 1);
  }

  /** Returns the port; 0 until the start if a free one will be chosen. */
  @Override
  public List<Integer> ports() {
    List<Integer> chosen = super.ports();
    return chosen.get(0) == 0 && isActive() ? List.of(server.port()) : chosen;
  }
}
