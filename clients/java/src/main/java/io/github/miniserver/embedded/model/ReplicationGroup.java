package io.github.miniserver.embedded.model;

import io.github.miniserver.embedded.core.PortProvider;
import java.util.List;
import java.util.stream.IntStream;

/** The ports of a master and its replicas. */
public final class ReplicationGroup {
  public final String masterName;
  public final int masterPort;
  public final List<Integer> slavePorts;

  public ReplicationGroup(String masterName, int slaves, PortProvider ports) {
    this.masterName = masterName;
    masterPort = ports.get();
    slavePorts = IntStream.range(0, slaves).mapToObj(i -> ports.get()).toList();
  }
}
