package io.github.miniserver.ozimov.util;

/** An operating system. */
public enum OS {
  WINDOWS, UNIX, MAC_OS_X
}
