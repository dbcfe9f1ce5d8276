package io.github.miniserver.embedded;

import io.github.miniserver.embedded.core.RedisClusterBuilder;
import io.github.miniserver.proxy.Call;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;

/** Masters with their replicas, and the Sentinels that watch them. */
public final class RedisCluster implements Redis {
  private static final long PATIENCE = 30_000_000_000L; // nanoseconds

  private final List<Redis> sentinels;
  private final List<Redis> servers;

  public RedisCluster(List<Redis> sentinels, List<Redis> servers) {
    this.sentinels = List.copyOf(sentinels);
    this.servers = List.copyOf(servers);
  }

  public static RedisClusterBuilder newRedisCluster() {
    return new RedisClusterBuilder();
  }

  /** Reports whether all of them are active. */
  @Override
  public boolean isActive() {
    return all().allMatch(Redis::isActive);
  }

  /** Starts all of them. When it returns, the replicas have what their masters have. If one does not start, all end. */
  @Override
  public void start() throws IOException {
    try {
      for (Redis server : servers) {
        server.start();
      }
      for (Redis server : servers) {
        awaitLink(server.ports().get(0), server instanceof RedisServer one ? one.password() : null);
      }
      for (Redis sentinel : sentinels) {
        sentinel.start();
      }
    } catch (IOException e) {
      stop();
      throw e;
    }
  }

  /**
   * Waits until a server is a master, or its link to the master is up. One that wants another password is not waited
   * for.
   */
  private static void awaitLink(int port, String password) throws IOException {
    var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    for (long begin = System.nanoTime(); System.nanoTime() - begin < PATIENCE;) {
      String info;
      try {
        info = Call.ask(address, password, "INFO", "replication");
      } catch (IOException e) {
        return;
      }
      if (!info.contains("master_link_status:down")) {
        return;
      }
      try {
        Thread.sleep(5);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
    throw new IOException("the replica on port " + port + " does not reach its master");
  }

  @Override
  public void stop() throws IOException {
    for (Redis each : all().toList()) {
      each.stop();
    }
  }

  /** Returns the ports of the Sentinels, then those of the servers. */
  @Override
  public List<Integer> ports() {
    return portsOf(all());
  }

  public List<Redis> sentinels() {
    return sentinels;
  }

  public List<Integer> sentinelPorts() {
    return portsOf(sentinels.stream());
  }

  /** Returns the servers: each master, followed by its replicas. */
  public List<Redis> servers() {
    return servers;
  }

  public List<Integer> serverPorts() {
    return portsOf(servers.stream());
  }

  private Stream<Redis> all() {
    return Stream.concat(sentinels.stream(), servers.stream());
  }

  private static List<Integer> portsOf(Stream<Redis> some) {
    return some.flatMap(each -> each.ports().stream()).toList();
  }
}
