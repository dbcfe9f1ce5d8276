package io.github.miniserver.ozimov;

import io.github.miniserver.ozimov.exceptions.EmbeddedRedisException;
import java.io.IOException;
import java.util.List;

/** What is started and stopped, and what does so. */
abstract class AbstractRedisInstance implements Redis {
  private final io.github.miniserver.embedded.Redis it;

  AbstractRedisInstance(io.github.miniserver.embedded.Redis it) {
    this.it = it;
  }

  @Override
  public boolean isActive() {
    return it.isActive();
  }

  @Override
  public synchronized void start() throws EmbeddedRedisException {
    if (isActive()) {
      throw new EmbeddedRedisException("This redis server instance is already running...");
    }
    try {
      it.start();
    } catch (IOException e) {
      throw new EmbeddedRedisException(e.getMessage(), e);
    }
  }

  @Override
  public synchronized void stop() throws EmbeddedRedisException {
    try {
      it.stop();
    } catch (IOException e) {
      throw new EmbeddedRedisException("Failed to stop Redis instance", e);
    }
  }

  @Override
  public List<Integer> ports() {
    return it.ports();
  }
}
