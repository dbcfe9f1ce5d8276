package io.github.miniserver.embedded.model;

/** An operating system with a kind of processor. */
public class OsArchitecture {
  public static final OsArchitecture WINDOWS_x86 = new OsArchitecture(OS.WINDOWS, Architecture.x86);
  public static final OsArchitecture WINDOWS_x86_64 = new OsArchitecture(OS.WINDOWS, Architecture.x86_64);
  public static final OsArchitecture UNIX_x86 = new OsArchitecture(OS.UNIX, Architecture.x86);
  public static final OsArchitecture UNIX_x86_64 = new OsArchitecture(OS.UNIX, Architecture.x86_64);
  public static final OsArchitecture UNIX_AARCH64 = new OsArchitecture(OS.UNIX, Architecture.aarch64);
  public static final OsArchitecture MAC_OS_X_x86_64 = new OsArchitecture(OS.MAC_OS_X, Architecture.x86_64);
  public static final OsArchitecture MAC_OS_X_ARM64 = new OsArchitecture(OS.MAC_OS_X, Architecture.aarch64);

  public final OS os;
  public final Architecture arch;

  public OsArchitecture(OS os, Architecture arch) {
    this.os = os;
    this.arch = arch;
  }

  /** Returns those of this machine. */
  public static OsArchitecture detectOSandArchitecture() {
    OS os = OS.detectOS();
    return new OsArchitecture(os, os.detectArchitecture());
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof OsArchitecture o && os == o.os && arch == o.arch;
  }

  @Override
  public int hashCode() {
    return 31 * os.hashCode() + arch.hashCode();
  }
}
