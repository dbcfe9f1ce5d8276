package io.github.miniserver.ozimov.util;

import io.github.miniserver.ozimov.Redis;
import io.github.miniserver.ozimov.RedisCluster;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** Addresses as Jedis' pools take them, such as localhost:6379. */
public class JedisUtil {
  /** Returns those of all ports. */
  public static Set<String> jedisHosts(Redis redis) {
    return portsToJedisHosts(redis.ports());
  }

  /** Returns those of the Sentinels. */
  public static Set<String> sentinelHosts(RedisCluster cluster) {
    return portsToJedisHosts(cluster.sentinelPorts());
  }

  public static Set<String> portsToJedisHosts(List<Integer> ports) {
    return ports.stream().map(port -> "localhost:" + port).collect(Collectors.toSet());
  }
}
