package io.github.miniserver.embedded.core;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports that are free, and stay so until a server listens to them: they are below those that systems give to
 * connections, which may come and go meanwhile.
 */
final class FreePorts {
  private static final int FIRST = 20_000;
  private static final int END = 32_000;
  private static final Set<Integer> GIVEN = new HashSet<>();

  private FreePorts() {}

  /** Returns a port that was not returned before, until all have been. */
  static synchronized int next() {
    if (GIVEN.size() > (END - FIRST) / 2) {
      GIVEN.clear();
    }
    int port = ThreadLocalRandom.current().nextInt(FIRST, END);
    while (GIVEN.contains(port) || !isFree(port)) {
      port = ThreadLocalRandom.current().nextInt(FIRST, END);
    }
    GIVEN.add(port);
    return port;
  }

  private static boolean isFree(int port) {
    try (var socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
