package io.github.miniserver.ozimov;

import io.github.miniserver.ozimov.util.Architecture;
import io.github.miniserver.ozimov.util.OS;
import java.io.File;
import java.io.IOException;

/** Finds a program. It is here so that tests compile: servers run miniserver, which the kit finds. */
public class RedisExecProvider {
  private RedisExecProvider() {}

  public static RedisExecProvider defaultProvider() {
    return new RedisExecProvider();
  }

  /** Is not used: the program is miniserver. */
  public RedisExecProvider override(OS os, String executable) {
    return this;
  }

  /** Is not used: the program is miniserver. */
  public RedisExecProvider override(OS os, Architecture architecture, String executable) {
    return this;
  }

  public File get() throws IOException {
    return new File("miniserver");
  }
}
