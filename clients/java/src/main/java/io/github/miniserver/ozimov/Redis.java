package io.github.miniserver.ozimov;

import io.github.miniserver.ozimov.exceptions.EmbeddedRedisException;
import java.util.List;

/** A server, or several that belong together. */
public interface Redis {
  /** Reports whether it has been started and not stopped. */
  boolean isActive();

  /** Starts it. It fails if it is active, or does not start, for a reason that the message tells. */
  void start() throws EmbeddedRedisException;

  /** Ends it. Nothing happens if it is not active. */
  void stop() throws EmbeddedRedisException;

  /** Returns the ports to which it listens, or will. */
  List<Integer> ports();
}
