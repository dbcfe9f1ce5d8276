package io.github.miniserver.embedded.core;

import static io.github.miniserver.embedded.Redis.DEFAULT_REDIS_PORT;

import io.github.miniserver.embedded.RedisServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Makes servers. */
public final class RedisServerBuilder {
  private final Settings settings = new Settings();
  private int port = DEFAULT_REDIS_PORT;
  private String bind;
  private String master;
  private Path file;
  private Consumer<String> out;
  private Consumer<String> err;

  /** Is not used: the program is miniserver. */
  public RedisServerBuilder executableProvider(ExecutableProvider provider) {
    return this;
  }

  /** Sets the address to listen to. Without it clients of this machine are served. */
  public RedisServerBuilder bind(String address) {
    bind = address;
    return this;
  }

  public RedisServerBuilder port(int port) {
    this.port = port;
    return this;
  }

  /** Makes the server a replica. */
  public RedisServerBuilder slaveOf(String host, int port) {
    master = host + " " + port;
    return this;
  }

  /** Makes the server a replica. */
  public RedisServerBuilder slaveOf(InetSocketAddress address) {
    return slaveOf(address.getHostName(), address.getPort());
  }

  /** Takes the settings of a file; those of the builder are stronger. */
  public RedisServerBuilder configFile(String path) throws IOException {
    return configFile(Path.of(path));
  }

  /** Takes the settings of a file; those of the builder are stronger. */
  public RedisServerBuilder configFile(Path path) throws IOException {
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    file = path;
    return this;
  }

  /** Adds lines of a redis.conf, if the condition holds. */
  public RedisServerBuilder settingIf(boolean condition, String line) {
    return condition ? setting(line) : this;
  }

  /** Adds a line of a redis.conf, such as "maxmemory 128mb", or several. */
  public RedisServerBuilder setting(String line) {
    settings.add(line);
    return this;
  }

  /** Is not used: a server always ends with this process. */
  public RedisServerBuilder onShutdownForceStop(boolean force) {
    return this;
  }

  /**
   * Sets who gets the lines of the log, if {@link #serrListener} sets nobody: miniserver writes them to the standard
   * error.
   */
  public RedisServerBuilder soutListener(Consumer<String> listener) {
    out = listener;
    return this;
  }

  /** Sets who gets the lines of the log, when the server has started and when it ends. */
  public RedisServerBuilder serrListener(Consumer<String> listener) {
    err = listener;
    return this;
  }

  public RedisServer build() throws IOException {
    return new RedisServer(port, buildCommandArgs(), false, out, err);
  }

  /** Forgets whose replica the server is, and the file. */
  public void reset() {
    master = null;
    file = null;
  }

  /** Returns the name of the program and its options. */
  public List<String> buildCommandArgs() throws IOException {
    List<String> command = new ArrayList<>(List.of("miniserver"));
    if (file != null) {
      command.addAll(List.of("--include", file.toAbsolutePath().toString()));
    }
    command.addAll(settings.options());
    if (bind != null) {
      command.addAll(List.of("--bind", bind));
    }
    command.addAll(command(port).subList(1, 3));
    if (master != null) {
      command.addAll(List.of("--replicaof", master));
    }
    return command;
  }

  /** Returns the command of a server that has nothing but a port. */
  public static List<String> command(int port) {
    return List.of("miniserver", "--port", "" + port);
  }
}
