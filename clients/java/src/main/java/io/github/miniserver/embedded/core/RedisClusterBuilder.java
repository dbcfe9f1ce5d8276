package io.github.miniserver.embedded.core;

import io.github.miniserver.embedded.Redis;
import io.github.miniserver.embedded.RedisCluster;
import io.github.miniserver.embedded.model.ReplicationGroup;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Makes masters with replicas and Sentinels. */
public final class RedisClusterBuilder {
  private final List<ReplicationGroup> groups = new ArrayList<>();
  private RedisSentinelBuilder sentinel = new RedisSentinelBuilder();
  private RedisServerBuilder server = new RedisServerBuilder();
  private PortProvider sentinelPorts = PortProvider.newSequencePortProvider();
  private PortProvider serverPorts = PortProvider.newSequencePortProvider(Redis.DEFAULT_REDIS_PORT);
  private int sentinels = 1;
  private int quorum = 1;

  /** Sets what all Sentinels have. */
  public RedisClusterBuilder withSentinelBuilder(RedisSentinelBuilder builder) {
    sentinel = builder;
    return this;
  }

  /** Sets what all servers have. */
  public RedisClusterBuilder withServerBuilder(RedisServerBuilder builder) {
    server = builder;
    return this;
  }

  /** Sets the ports of the Sentinels, and by that their number. */
  public RedisClusterBuilder sentinelPorts(Collection<Integer> ports) {
    sentinelPorts = PortProvider.newPredefinedPortProvider(ports);
    sentinels = ports.size();
    return this;
  }

  /** Sets the ports of the groups that are added afterwards. */
  public RedisClusterBuilder serverPorts(Collection<Integer> ports) {
    serverPorts = PortProvider.newPredefinedPortProvider(ports);
    return this;
  }

  /** Has Sentinels use ports that are free. */
  public RedisClusterBuilder ephemeralSentinels() {
    sentinelPorts = PortProvider.newEphemeralPortProvider();
    return this;
  }

  /** Has the groups that are added afterwards use ports that are free. */
  public RedisClusterBuilder ephemeralServers() {
    serverPorts = PortProvider.newEphemeralPortProvider();
    return this;
  }

  public RedisClusterBuilder ephemeral() {
    return ephemeralSentinels().ephemeralServers();
  }

  public RedisClusterBuilder sentinelCount(int count) {
    sentinels = count;
    return this;
  }

  public RedisClusterBuilder sentinelStartingPort(int port) {
    sentinelPorts = PortProvider.newSequencePortProvider(port);
    return this;
  }

  /** Sets how many Sentinels must watch a master to replace it. */
  public RedisClusterBuilder quorumSize(int size) {
    quorum = size;
    return this;
  }

  /** Adds a master of that name with some replicas. */
  public RedisClusterBuilder replicationGroup(String master, int replicas) {
    groups.add(new ReplicationGroup(master, replicas, serverPorts));
    return this;
  }

  public RedisCluster build() throws IOException {
    List<Redis> servers = new ArrayList<>();
    for (ReplicationGroup group : groups) {
      server.reset();
      servers.add(server.port(group.masterPort).build());
      for (int port : group.slavePorts) {
        server.reset();
        servers.add(server.port(port).slaveOf("localhost", group.masterPort).build());
      }
    }
    return new RedisCluster(buildSentinels(), servers);
  }

  private List<Redis> buildSentinels() {
    sentinel.reset();
    for (ReplicationGroup group : groups) {
      sentinel.masterName(group.masterName).masterPort(group.masterPort).quorumSize(quorum)
          .addDefaultReplicationGroup();
    }
    List<Redis> list = new ArrayList<>();
    for (int i = 0; i < sentinels; i++) {
      list.add(sentinel.port(sentinelPorts.get()).build());
    }
    return list;
  }
}
