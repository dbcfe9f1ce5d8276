package io.github.miniserver.embedded.model;

/** A kind of processor. */
public enum Architecture {
  x86, x86_64, aarch64;

  static Architecture detect() {
    return switch (System.getProperty("os.arch")) {
      case "aarch64", "arm64" -> aarch64;
      case "x86", "i386" -> x86;
      default -> x86_64;
    };
  }

  public static Architecture detectWindowsArchitecture() {
    return detect();
  }

  public static Architecture detectUnixMacOSXArchitecture() {
    return detect();
  }
}
