package io.github.miniserver.embedded;

import io.github.miniserver.proxy.Proxy;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;

/** A port that leads to the one node of a cluster, which says where it is itself. */
final class Entrance extends RedisInstance {
  private final int node;
  private Proxy proxy;

  /** Makes a port that leads to another one of this machine. */
  Entrance(int port, int node) {
    super(port);
    this.node = node;
  }

  @Override
  void open() throws IOException {
    InetAddress here = InetAddress.getLoopbackAddress();
    proxy = new Proxy(here, ports().get(0), () -> new Socket(here, node), link -> link::proceed);
  }

  @Override
  void close() throws IOException {
    proxy.close();
  }
}
