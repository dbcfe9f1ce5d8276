package io.github.miniserver.ozimov.ports;

import io.github.miniserver.ozimov.PortProvider;

/** Counts on from a port. */
public class SequencePortProvider implements PortProvider {
  private int current = 26379;

  public SequencePortProvider() {}

  public SequencePortProvider(int first) {
    current = first;
  }

  public void setCurrentPort(int port) {
    current = port;
  }

  @Override
  public int next() {
    return current++;
  }
}
