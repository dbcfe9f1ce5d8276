package io.github.miniserver.embedded;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;

/** One server. */
public abstract class RedisInstance implements Redis {
  private final int port;
  private volatile boolean active;

  /** Makes what will listen to a port. */
  protected RedisInstance(int port) {
    this.port = port;
  }

  /** Starts what this is. */
  abstract void open() throws IOException;

  /** Ends it. */
  abstract void close() throws IOException;

  @Override
  public synchronized void start() throws IOException {
    if (active) {
      return;
    }
    try {
      open();
    } catch (IOException | IllegalStateException | UncheckedIOException e) {
      throw new IOException("Failed to start Redis service on port " + port + ": " + e.getMessage().strip(), e);
    }
    active = true;
  }

  @Override
  public synchronized void stop() throws IOException {
    if (active) {
      active = false;
      close();
    }
  }

  @Override
  public boolean isActive() {
    return active;
  }

  @Override
  public List<Integer> ports() {
    return List.of(port);
  }
}
