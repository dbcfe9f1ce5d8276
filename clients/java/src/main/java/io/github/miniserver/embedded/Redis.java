package io.github.miniserver.embedded;

import java.io.IOException;
import java.util.List;

/** A server, or several that belong together. */
public interface Redis {
  int DEFAULT_REDIS_PORT = 6379;

  /** Reports whether it has been started and not stopped. */
  boolean isActive();

  /**
   * Starts it. Nothing happens if it is active.
   *
   * @throws IOException if it does not start, for a reason that the message tells
   */
  void start() throws IOException;

  /** Ends it. Nothing happens if it is not active. */
  void stop() throws IOException;

  /** Returns the ports to which it listens, or will. */
  List<Integer> ports();
}
