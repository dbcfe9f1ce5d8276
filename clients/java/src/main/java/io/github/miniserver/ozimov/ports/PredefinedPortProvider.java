package io.github.miniserver.ozimov.ports;

import io.github.miniserver.ozimov.PortProvider;
import io.github.miniserver.ozimov.exceptions.RedisBuildingException;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

/** Has some ports, and throws {@link RedisBuildingException} after the last. */
public class PredefinedPortProvider implements PortProvider {
  private final Iterator<Integer> left;

  public PredefinedPortProvider(Collection<Integer> ports) {
    left = List.copyOf(ports).iterator();
  }

  @Override
  public synchronized int next() {
    if (!left.hasNext()) {
      throw new RedisBuildingException("Run out of Redis ports!");
    }
    return left.next();
  }
}
