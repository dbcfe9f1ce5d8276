package io.github.miniserver.ozimov.ports;

import io.github.miniserver.ozimov.PortProvider;

/** Chooses ports to which nobody listens. */
public class EphemeralPortProvider implements PortProvider {
  private final io.github.miniserver.embedded.core.PortProvider it =
      io.github.miniserver.embedded.core.PortProvider.newEphemeralPortProvider();

  @Override
  public int next() {
    return it.get();
  }
}
