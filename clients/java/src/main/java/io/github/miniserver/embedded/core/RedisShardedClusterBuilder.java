package io.github.miniserver.embedded.core;

import io.github.miniserver.embedded.Redis;
import io.github.miniserver.embedded.RedisShardedCluster;
import io.github.miniserver.embedded.model.Shard;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Makes clusters for clients in cluster mode. */
public final class RedisShardedClusterBuilder {
  private final List<Shard> shards = new ArrayList<>();
  private RedisServerBuilder server = new RedisServerBuilder();
  private PortProvider ports = PortProvider.newSequencePortProvider(Redis.DEFAULT_REDIS_PORT);

  /** Sets what the node has. */
  public RedisShardedClusterBuilder withServerBuilder(RedisServerBuilder builder) {
    server = builder;
    return this;
  }

  /** Sets the ports of the shards that are added afterwards. */
  public RedisShardedClusterBuilder serverPorts(Collection<Integer> ports) {
    this.ports = PortProvider.newPredefinedPortProvider(ports);
    return this;
  }

  /** Is not used: the cluster is ready when it has started. */
  public RedisShardedClusterBuilder initializationTimeout(Duration timeout) {
    return this;
  }

  /** Has the shards that are added afterwards use ports that are free. */
  public RedisShardedClusterBuilder ephemeralServers() {
    ports = PortProvider.newEphemeralPortProviderInRedisClusterRange();
    return this;
  }

  public RedisShardedClusterBuilder ephemeral() {
    return ephemeralServers();
  }

  /** Adds the ports of a shard with some replicas. */
  public RedisShardedClusterBuilder shard(String name, int replicas) {
    shards.add(new Shard(name, replicas, ports));
    return this;
  }

  /**
   * Makes the cluster.
   *
   * @throws IllegalStateException if there is no shard
   */
  public RedisShardedCluster build() throws IOException {
    List<Integer> all = new ArrayList<>();
    for (Shard shard : shards) {
      all.add(shard.mainNodePort);
      all.addAll(shard.replicaPorts);
    }
    if (all.isEmpty()) {
      throw new IllegalStateException("the cluster has no shard");
    }
    server.reset();
    return new RedisShardedCluster(server.port(all.get(0)).setting("cluster-enabled yes").build(),
        all.subList(1, all.size()));
  }
}
