package io.github.miniserver.ozimov;

import java.io.File;
import java.io.IOException;

/** A process of miniserver on a port that was chosen. It ends with {@link #stop}, or with this process. */
public class RedisServer extends AbstractRedisInstance {
  /** Makes a server for port 6379. */
  public RedisServer() {
    this(io.github.miniserver.embedded.Redis.DEFAULT_REDIS_PORT);
  }

  public RedisServer(int port) {
    this(new io.github.miniserver.embedded.RedisServer(port, (File) null));
  }

  /** Makes a server for a port. The file is not used: the program is miniserver. */
  public RedisServer(File executable, int port) {
    this(port);
  }

  /** Makes a server for a port. The program is miniserver, whatever is provided. */
  public RedisServer(RedisExecProvider provider, int port) throws IOException {
    this(port);
  }

  RedisServer(io.github.miniserver.embedded.RedisServer it) {
    super(it);
  }

  public static RedisServerBuilder builder() {
    return new RedisServerBuilder();
  }
}
