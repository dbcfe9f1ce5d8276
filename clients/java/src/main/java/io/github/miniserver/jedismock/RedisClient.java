package io.github.miniserver.jedismock;

import io.github.miniserver.jedismock.datastructures.Slice;
import io.github.miniserver.jedismock.server.Response;
import io.github.miniserver.jedismock.server.ServiceOptions;
import io.github.miniserver.proxy.Link;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** A client whose commands an interceptor gets. */
public final class RedisClient {
  private final RedisServer server;
  private final Link link;
  private String id; // by which the server knows it; null until it is needed

  RedisClient(RedisServer server, Link link) {
    this.server = server;
    this.link = link;
  }

  /**
   * Has the server execute a command, and returns its reply.
   *
   * @return {@link Response#SKIP} if the server sends the client more than one reply, as to SUBSCRIBE
   * @throws UncheckedIOException if a connection has ended
   */
  public Slice execute(String name, List<Slice> parameters) {
    server.follow();
    List<byte[]> words = new ArrayList<>(List.of(name.getBytes(StandardCharsets.UTF_8)));
    parameters.forEach(parameter -> words.add(parameter.data()));
    try {
      long patience = server.hasClock() ? patience(name.toLowerCase(Locale.ROOT), parameters) : 0;
      byte[] reply = patience > 0 ? proceedFor(patience, words) : link.proceed(words);
      return reply == null ? Response.SKIP : Slice.create(reply);
    } catch (IOException e) {
      throw new Disconnected(e);
    }
  }

  /** The connection to the server has ended, and so must that of the client. */
  static final class Disconnected extends UncheckedIOException {
    Disconnected(IOException reason) {
      super(reason);
    }
  }

  /**
   * Ends a command that blocks after some milliseconds of this machine's time: the clock of the test may stand
   * meanwhile.
   */
  private byte[] proceedFor(long patience, List<byte[]> words) throws IOException {
    if (id == null) {
      byte[] reply = link.proceed(List.of("CLIENT".getBytes(StandardCharsets.US_ASCII),
          "ID".getBytes(StandardCharsets.US_ASCII)));
      id = new String(reply, 1, reply.length - 3, StandardCharsets.US_ASCII);
    }
    var over = new boolean[1];
    Executor later = CompletableFuture.delayedExecutor(patience, TimeUnit.MILLISECONDS);
    later.execute(() -> {
      synchronized (over) { // so that it is not the next command that ends
        if (!over[0]) {
          server.unblock(id);
        }
      }
    });
    try {
      return link.proceed(words);
    } finally {
      synchronized (over) {
        over[0] = true;
      }
    }
  }

  /** Returns the timeout of a command that blocks, in milliseconds; 0 if it has none, or does not block. */
  private static long patience(String name, List<Slice> parameters) {
    try {
      return switch (name) {
        case "blpop", "brpop", "bzpopmin", "bzpopmax", "blmove", "brpoplpush" ->
            seconds(parameters.get(parameters.size() - 1));
        case "blmpop", "bzmpop" -> seconds(parameters.get(0));
        case "xread", "xreadgroup" -> milliseconds(parameters);
        default -> 0;
      };
    } catch (IndexOutOfBoundsException | NumberFormatException e) {
      return 0; // the server has an error for it
    }
  }

  private static long seconds(Slice number) {
    return (long) (1000 * Double.parseDouble(number.toString()));
  }

  private static long milliseconds(List<Slice> parameters) {
    int at = parameters.stream().map(word -> word.toString().toUpperCase(Locale.ROOT)).toList().indexOf("BLOCK");
    return at < 0 ? 0 : Long.parseLong(parameters.get(at + 1).toString());
  }

  /**
   * Sends the client a reply.
   *
   * @param command to which it replies; not used
   */
  public void sendResponse(Slice reply, String command) {
    if (reply.equals(Response.SKIP)) {
      return;
    }
    try {
      link.send(reply.data());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Reports whether the client is connected. */
  public boolean isConnected() {
    return link.isOpen();
  }

  /** Ends the connection. */
  public void close() {
    link.close();
  }

  public ServiceOptions options() {
    return server.options();
  }

  /** Returns the port that it is connected to. */
  public int getPort() {
    return server.getBindPort();
  }

  /** Returns the address that it is connected to. */
  public String getServerHost() {
    return server.getHost();
  }

  public Clock getClock() {
    return server.getClock();
  }

  /** Returns what all clients of the server lock to change what they share. */
  public Object lock() {
    return server.shared();
  }
}
