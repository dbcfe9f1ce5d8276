package io.github.miniserver.ozimov;

/** Chooses ports. */
@FunctionalInterface
public interface PortProvider {
  /** Returns the next port. */
  int next();
}
