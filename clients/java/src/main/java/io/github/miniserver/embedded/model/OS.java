package io.github.miniserver.embedded.model;

import java.util.Locale;

/** An operating system. */
public enum OS {
  WINDOWS, UNIX, MAC_OS_X;

  /** Returns the one that this is. */
  public static OS detectOS() {
    String name = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    return name.startsWith("windows") ? WINDOWS : name.startsWith("mac") ? MAC_OS_X : UNIX;
  }

  /** Returns the kind of processor of this machine. */
  public Architecture detectArchitecture() {
    return Architecture.detect();
  }
}
