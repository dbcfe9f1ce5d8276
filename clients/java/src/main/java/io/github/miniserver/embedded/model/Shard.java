package io.github.miniserver.embedded.model;

import io.github.miniserver.embedded.core.PortProvider;
import java.util.List;
import java.util.stream.IntStream;

/** The ports of a part of a cluster. */
public final class Shard {
  public final String name;
  public final int mainNodePort;
  public final List<Integer> replicaPorts;

  public Shard(String name, int replicas, PortProvider ports) {
    this.name = name;
    mainNodePort = ports.get();
    replicaPorts = IntStream.range(0, replicas).mapToObj(i -> ports.get()).toList();
  }
}
