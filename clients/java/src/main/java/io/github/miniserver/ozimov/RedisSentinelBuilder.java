package io.github.miniserver.ozimov;

/** Makes Sentinels. */
public class RedisSentinelBuilder {
  private final io.github.miniserver.embedded.core.RedisSentinelBuilder it =
      new io.github.miniserver.embedded.core.RedisSentinelBuilder();

  /** Is not used: the program is miniserver. */
  public RedisSentinelBuilder redisExecProvider(RedisExecProvider provider) {
    return this;
  }

  public RedisSentinelBuilder bind(String address) {
    it.bind(address);
    return this;
  }

  public RedisSentinelBuilder port(Integer port) {
    it.port(port);
    return this;
  }

  /** Sets the port of the master that is watched, on 127.0.0.1. */
  public RedisSentinelBuilder masterPort(Integer port) {
    it.masterPort(port);
    return this;
  }

  public RedisSentinelBuilder masterName(String name) {
    it.masterName(name);
    return this;
  }

  /** Sets how many Sentinels must watch a master to replace it. */
  public RedisSentinelBuilder quorumSize(int size) {
    it.quorumSize(size);
    return this;
  }

  /** Sets after which time a master that does not answer is replaced. */
  public RedisSentinelBuilder downAfterMilliseconds(Long time) {
    it.downAfterMilliseconds(time);
    return this;
  }

  /** Sets what clients are told; a master is replaced at once. */
  public RedisSentinelBuilder failoverTimeout(Long milliseconds) {
    it.failOverTimeout(milliseconds);
    return this;
  }

  /** Sets what clients are told; all replicas follow the new master at once. */
  public RedisSentinelBuilder parallelSyncs(int count) {
    it.parallelSyncs(count);
    return this;
  }

  /** Adds the lines of a file. */
  public RedisSentinelBuilder configFile(String path) {
    it.configFile(path);
    return this;
  }

  /** Adds a line of a sentinel.conf, such as "sentinel auth-pass mymaster secret". */
  public RedisSentinelBuilder setting(String line) {
    it.setting(line);
    return this;
  }

  /** Makes a Sentinel that watches the masters that were added, or else the one that the builder has been told of. */
  public RedisSentinel build() {
    return new RedisSentinel(it.build());
  }

  /** Forgets the masters that were added. */
  public void reset() {
    it.reset();
  }

  /** Adds the master that the builder has been told of. A Sentinel may watch several. */
  public void addDefaultReplicationGroup() {
    it.addDefaultReplicationGroup();
  }

  io.github.miniserver.embedded.core.RedisSentinelBuilder it() {
    return it;
  }
}
