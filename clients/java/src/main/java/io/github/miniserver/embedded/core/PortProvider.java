package io.github.miniserver.embedded.core;

import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Chooses ports. */
@FunctionalInterface
public interface PortProvider {
  int REDIS_CLUSTER_MAX_PORT_EXCLUSIVE = 50000;

  /** Returns the next port. */
  int get();

  /** Returns one that chooses ports to which nobody listens, and none twice. */
  static PortProvider newEphemeralPortProvider() {
    return FreePorts::next;
  }

  /** Returns one that chooses ports to which nobody listens, and which leave room for those of a cluster's bus. */
  static PortProvider newEphemeralPortProviderInRedisClusterRange() {
    return newEphemeralPortProvider(); // they all do
  }

  /** Returns one that has these ports, and throws IllegalArgumentException after the last. */
  static PortProvider newPredefinedPortProvider(Collection<Integer> ports) {
    Iterator<Integer> left = List.copyOf(ports).iterator();
    return () -> {
      if (!left.hasNext()) {
        throw new IllegalArgumentException("Ran out of Redis ports");
      }
      return left.next();
    };
  }

  /** Returns one that begins with the port of Sentinels, 26379. */
  static PortProvider newSequencePortProvider() {
    return newSequencePortProvider(26379);
  }

  /** Returns one that counts on from a port. */
  static PortProvider newSequencePortProvider(int first) {
    return new AtomicInteger(first)::getAndIncrement;
  }
}
