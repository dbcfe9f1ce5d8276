package io.github.miniserver.embedded.core;

import io.github.miniserver.embedded.RedisSentinel;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Makes Sentinels. */
public final class RedisSentinelBuilder {
  private static final int DEFAULT_PORT = 26379;

  private final Settings settings = new Settings();
  private final Settings groups = new Settings(); // the masters
  private int port = DEFAULT_PORT;
  private String bind = "127.0.0.1";
  private String masterName = "mymaster";
  private int masterPort = 6379;
  private int quorum = 1;
  private long downAfter = 60_000;
  private long failOverTimeout = 180_000;
  private int parallelSyncs = 1;
  private Consumer<String> out;
  private Consumer<String> err;

  /** Is not used: the program is miniserver. */
  public RedisSentinelBuilder executableProvider(ExecutableProvider provider) {
    return this;
  }

  public RedisSentinelBuilder bind(String address) {
    bind = address;
    return this;
  }

  public RedisSentinelBuilder port(Integer port) {
    this.port = port;
    return this;
  }

  /** Sets the port of the master that is watched, on 127.0.0.1. */
  public RedisSentinelBuilder masterPort(Integer port) {
    masterPort = port;
    return this;
  }

  public RedisSentinelBuilder masterName(String name) {
    masterName = name;
    return this;
  }

  /** Sets how many Sentinels must watch a master to replace it. */
  public RedisSentinelBuilder quorumSize(int size) {
    quorum = size;
    return this;
  }

  /** Sets after which time a master that does not answer is replaced. */
  public RedisSentinelBuilder downAfterMilliseconds(long time) {
    downAfter = time;
    return this;
  }

  /** Sets what clients are told; a master is replaced at once. */
  public RedisSentinelBuilder failOverTimeout(long milliseconds) {
    failOverTimeout = milliseconds;
    return this;
  }

  /** Sets what clients are told; all replicas follow the new master at once. */
  public RedisSentinelBuilder parallelSyncs(int count) {
    parallelSyncs = count;
    return this;
  }

  /** Adds the lines of a file. */
  public RedisSentinelBuilder configFile(String path) {
    try {
      Files.readAllLines(Path.of(path)).forEach(settings::add);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return this;
  }

  /** Adds a line of a sentinel.conf, if the condition holds. */
  public RedisSentinelBuilder settingIf(boolean condition, String line) {
    return condition ? setting(line) : this;
  }

  /** Adds a line of a sentinel.conf, such as "sentinel auth-pass mymaster secret". */
  public RedisSentinelBuilder setting(String line) {
    settings.add(line);
    return this;
  }

  /** Is not used: a Sentinel always ends with this process. */
  public RedisSentinelBuilder onShutdownForceStop(boolean force) {
    return this;
  }

  /** Sets who gets the lines of the log, if {@link #serrListener} sets nobody. */
  public RedisSentinelBuilder soutListener(Consumer<String> listener) {
    out = listener;
    return this;
  }

  /** Sets who gets the lines of the log. */
  public RedisSentinelBuilder serrListener(Consumer<String> listener) {
    err = listener;
    return this;
  }

  /** Adds the master that the builder has been told of. A Sentinel may watch several. */
  public void addDefaultReplicationGroup() {
    groups.add("sentinel monitor " + masterName + " 127.0.0.1 " + masterPort + " " + quorum);
    groups.add("sentinel down-after-milliseconds " + masterName + " " + downAfter);
    groups.add("sentinel failover-timeout " + masterName + " " + failOverTimeout);
    groups.add("sentinel parallel-syncs " + masterName + " " + parallelSyncs);
  }

  /** Makes a Sentinel that watches the masters that were added, or else the one that the builder has been told of. */
  public RedisSentinel build() {
    List<String> command = new ArrayList<>(List.of("miniserver", "--port", "" + port, "--bind", bind));
    command.addAll(settings.options());
    if (groups.options().isEmpty() && !command.contains("monitor")) {
      addDefaultReplicationGroup();
    }
    command.addAll(groups.options());
    return new RedisSentinel(port, command, false, out, err);
  }

  /** Forgets the masters that were added. */
  public void reset() {
    groups.clear();
  }
}
