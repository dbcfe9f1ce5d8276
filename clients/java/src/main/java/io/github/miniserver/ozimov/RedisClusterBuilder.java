package io.github.miniserver.ozimov;

import io.github.miniserver.ozimov.exceptions.RedisBuildingException;
import java.io.IOException;
import java.util.Collection;

/** Makes masters with replicas and Sentinels. */
public class RedisClusterBuilder {
  private final io.github.miniserver.embedded.core.RedisClusterBuilder it =
      new io.github.miniserver.embedded.core.RedisClusterBuilder();

  /** Sets what all Sentinels have. */
  public RedisClusterBuilder withSentinelBuilder(RedisSentinelBuilder builder) {
    it.withSentinelBuilder(builder.it());
    return this;
  }

  /** Sets what all servers have. */
  public RedisClusterBuilder withServerBuilder(RedisServerBuilder builder) {
    it.withServerBuilder(builder.it());
    return this;
  }

  /** Sets the ports of the Sentinels, and by that their number. */
  public RedisClusterBuilder sentinelPorts(Collection<Integer> ports) {
    it.sentinelPorts(ports);
    return this;
  }

  /** Sets the ports of the groups that are added afterwards. */
  public RedisClusterBuilder serverPorts(Collection<Integer> ports) {
    it.serverPorts(ports);
    return this;
  }

  /** Has Sentinels use ports that are free. */
  public RedisClusterBuilder ephemeralSentinels() {
    it.ephemeralSentinels();
    return this;
  }

  /** Has the groups that are added afterwards use ports that are free. */
  public RedisClusterBuilder ephemeralServers() {
    it.ephemeralServers();
    return this;
  }

  public RedisClusterBuilder ephemeral() {
    it.ephemeral();
    return this;
  }

  public RedisClusterBuilder sentinelCount(int count) {
    it.sentinelCount(count);
    return this;
  }

  public RedisClusterBuilder sentinelStartingPort(int port) {
    it.sentinelStartingPort(port);
    return this;
  }

  /** Sets how many Sentinels must watch a master to replace it. */
  public RedisClusterBuilder quorumSize(int size) {
    it.quorumSize(size);
    return this;
  }

  /** Adds a master of that name with some replicas. */
  public RedisClusterBuilder replicationGroup(String master, int replicas) {
    try {
      it.replicationGroup(master, replicas);
    } catch (IllegalArgumentException e) {
      throw new RedisBuildingException("Run out of Redis ports!", e);
    }
    return this;
  }

  public RedisCluster build() {
    try {
      return new RedisCluster(it.build());
    } catch (IllegalArgumentException e) {
      throw new RedisBuildingException("Run out of Redis ports!", e);
    } catch (IOException e) {
      throw new RedisBuildingException("Could not build server instance", e);
    }
  }
}
