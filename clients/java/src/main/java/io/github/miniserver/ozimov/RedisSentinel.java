package io.github.miniserver.ozimov;

/** A Sentinel: it tells clients where a master is, and replaces one that is down. */
public class RedisSentinel extends AbstractRedisInstance {
  RedisSentinel(io.github.miniserver.embedded.RedisSentinel it) {
    super(it);
  }

  public static RedisSentinelBuilder builder() {
    return new RedisSentinelBuilder();
  }
}
