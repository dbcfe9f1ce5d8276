package io.github.miniserver.ozimov;

import io.github.miniserver.ozimov.exceptions.RedisBuildingException;
import java.io.IOException;
import java.net.InetSocketAddress;

/** Makes servers. */
public class RedisServerBuilder {
  private final io.github.miniserver.embedded.core.RedisServerBuilder it =
      new io.github.miniserver.embedded.core.RedisServerBuilder();
  private boolean hasFile;
  private boolean hasSettings;

  /** Is not used: the program is miniserver. */
  public RedisServerBuilder redisExecProvider(RedisExecProvider provider) {
    return this;
  }

  /** Sets the address to listen to. Without it clients of this machine are served. */
  public RedisServerBuilder bind(String address) {
    it.bind(address);
    return this;
  }

  public RedisServerBuilder port(int port) {
    it.port(port);
    return this;
  }

  /** Makes the server a replica. */
  public RedisServerBuilder slaveOf(String host, int port) {
    it.slaveOf(host, port);
    return this;
  }

  /** Makes the server a replica. */
  public RedisServerBuilder slaveOf(InetSocketAddress address) {
    it.slaveOf(address);
    return this;
  }

  /** Takes the settings of a file. There may be no {@link #setting} beside it. */
  public RedisServerBuilder configFile(String path) {
    if (hasSettings) {
      throw new RedisBuildingException("Redis configuration is already partially build using setting(String) method!");
    }
    hasFile = true;
    try {
      it.configFile(path);
    } catch (IOException e) {
      throw new RedisBuildingException("Could not read " + path, e);
    }
    return this;
  }

  /** Adds a line of a redis.conf, such as "maxmemory 128mb". There may be no {@link #configFile} beside it. */
  public RedisServerBuilder setting(String line) {
    if (hasFile) {
      throw new RedisBuildingException("Redis configuration is already set using redis conf file!");
    }
    hasSettings = true;
    it.setting(line);
    return this;
  }

  public RedisServer build() {
    try {
      return new RedisServer(it.build());
    } catch (IOException e) {
      throw new RedisBuildingException("Could not build server instance", e);
    }
  }

  /** Forgets whose replica the server is, and the file. */
  public void reset() {
    it.reset();
    hasFile = false;
  }

  io.github.miniserver.embedded.core.RedisServerBuilder it() {
    return it;
  }
}
