package io.github.miniserver.ozimov.util;

/** A kind of processor. */
public enum Architecture {
  x86, x86_64
}
