package io.github.miniserver.embedded;

import io.github.miniserver.embedded.core.RedisShardedClusterBuilder;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * A cluster for clients in cluster mode. It has one node with all slots, on the first port; the other ports lead to it.
 * So a client may begin with any of them.
 */
public final class RedisShardedCluster implements Redis {
  private final List<Redis> servers = new ArrayList<>();

  /**
   * Makes a cluster.
   *
   * @param node a server with the setting cluster-enabled
   * @param ports the other ports
   */
  public RedisShardedCluster(RedisServer node, List<Integer> ports) {
    servers.add(node);
    ports.forEach(port -> servers.add(new Entrance(port, node.ports().get(0))));
  }

  public static RedisShardedClusterBuilder newRedisCluster() {
    return new RedisShardedClusterBuilder();
  }

  @Override
  public boolean isActive() {
    return servers.stream().allMatch(Redis::isActive);
  }

  /** Starts the node and opens the ports. If one of them is taken, all end. */
  @Override
  public void start() throws IOException {
    try {
      for (Redis server : servers) {
        server.start();
      }
    } catch (IOException e) {
      stop();
      throw e;
    }
  }

  @Override
  public void stop() throws IOException {
    for (Redis server : servers) {
      server.stop();
    }
  }

  @Override
  public List<Integer> ports() {
    return servers.stream().flatMap(server -> server.ports().stream()).toList();
  }

  /** Returns the node, and the other ports as servers. */
  public List<Redis> servers() {
    return List.copyOf(servers);
  }

  public List<Integer> serverPorts() {
    return ports();
  }

  /** Returns the port of the node. */
  public int getPort() {
    return ports().get(0);
  }
}
