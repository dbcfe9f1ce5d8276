package io.github.miniserver.ozimov;

import java.util.List;

/** Masters with their replicas, and the Sentinels that watch them. */
public class RedisCluster extends AbstractRedisInstance {
  private final io.github.miniserver.embedded.RedisCluster it;

  RedisCluster(io.github.miniserver.embedded.RedisCluster it) {
    super(it);
    this.it = it;
  }

  public static RedisClusterBuilder builder() {
    return new RedisClusterBuilder();
  }

  public List<Redis> sentinels() {
    return wrapped(it.sentinels());
  }

  public List<Integer> sentinelPorts() {
    return it.sentinelPorts();
  }

  /** Returns the servers: each master, followed by its replicas. */
  public List<Redis> servers() {
    return wrapped(it.servers());
  }

  public List<Integer> serverPorts() {
    return it.serverPorts();
  }

  private static List<Redis> wrapped(List<io.github.miniserver.embedded.Redis> some) {
    return some.stream().<Redis>map(each -> new AbstractRedisInstance(each) {}).toList();
  }
}
