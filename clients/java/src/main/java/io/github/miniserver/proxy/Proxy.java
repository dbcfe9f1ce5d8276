package io.github.miniserver.proxy;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Stands between clients and a server. Each client is a {@link Link}, with a connection of its own to the server. */
public final class Proxy implements AutoCloseable {
  /** Answers the commands of one client, one after the other. */
  @FunctionalInterface
  public interface Handler {
    /**
     * Returns the reply to a command, in the bytes of the protocol; null for none, as to a client that has got its
     * reply already.
     *
     * @param words of the command, at least one; the first is its name
     * @throws IOException after which the connection of the client is closed
     */
    byte[] answer(List<byte[]> words) throws IOException;
  }

  /** Connects to the server, for a new client. */
  @FunctionalInterface
  public interface Connector {
    Socket connect() throws IOException;
  }

  private final ServerSocket listener;
  private final Connector server;
  private final Function<Link, Handler> handlers;
  private final Set<Link> links = ConcurrentHashMap.newKeySet();
  private final Thread acceptor;
  private volatile boolean closed;

  /**
   * Begins to listen.
   *
   * @param port to listen to; 0 for a free one
   * @param server makes connections to where commands may go on
   * @param handlers makes what answers the commands of a new client
   * @throws java.net.BindException if the port is taken
   */
  public Proxy(InetAddress address, int port, Connector server, Function<Link, Handler> handlers) throws IOException {
    this.server = server;
    this.handlers = handlers;
    listener = new ServerSocket();
    try {
      listener.bind(new InetSocketAddress(address, port), 512);
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
    acceptor = daemon("miniserver-proxy", this::accept);
  }

  public int port() {
    return listener.getLocalPort();
  }

  private void accept() {
    while (!closed) {
      try {
        Socket client = listener.accept();
        serve(client);
      } catch (IOException e) {
        // the listener is closed, or the client has gone already
      }
    }
  }

  private void serve(Socket client) throws IOException {
    Link link;
    try {
      link = new Link(client, server.connect(), links::remove);
    } catch (IOException e) { // there is no server any more
      client.close();
      return;
    }
    links.add(link);
    link.start(handlers.apply(link));
    if (closed) {
      link.close();
    }
  }

  /** Starts a thread that does not keep the process from ending. */
  static Thread daemon(String name, Runnable work) {
    var thread = new Thread(work, name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  /** Closes the connections of all clients, interrupts the threads that serve them, and waits for these. */
  @Override
  public void close() throws IOException {
    closed = true;
    listener.close();
    end(acceptor);
    List<Link> open = List.copyOf(links);
    open.forEach(Link::close);
    for (Link link : open) {
      link.threads().forEach(Proxy::end);
    }
  }

  /** Interrupts a thread and waits for it, but not for long: it may be in code of the test. The calling one goes on. */
  private static void end(Thread thread) {
    if (thread == Thread.currentThread()) {
      return;
    }
    thread.interrupt();
    try {
      thread.join(1000);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
