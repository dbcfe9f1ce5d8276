package io.github.miniserver.proxy;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * One client of a proxy, and the connection to the server that is made for it. A thread reads its commands and has them
 * answered; another reads what the server sends: the replies to commands that were passed on, and messages, which the
 * client gets at once.
 *
 * <p>Which is which follows from the order of the replies. {@link #expected} has an entry for each command whose reply
 * is still to come: what waits for it, or an {@link Acknowledgement} of a subscription, which the client gets as
 * messages are.
 */
public final class Link {
  private static final Set<String> SUBSCRIBING = Set.of("subscribe", "psubscribe", "ssubscribe");
  private static final Set<String> UNSUBSCRIBING = Set.of("unsubscribe", "punsubscribe", "sunsubscribe");
  private static final Set<String> MESSAGES = Set.of("message", "pmessage", "smessage");
  /** After these the server sends what it likes. */
  private static final Set<String> STREAMS = Set.of("monitor", "sync", "psync");

  private static final byte[] RESET = "+RESET\r\n".getBytes(StandardCharsets.US_ASCII);

  private final Socket client;
  private final Socket server;
  private final BufferedInputStream fromClient;
  private final OutputStream toClient;
  private final OutputStream toServer;
  private final Consumer<Link> gone;
  private final Queue<Object> expected = new ArrayDeque<>();
  private final Map<String, Set<String>> channels = new HashMap<>(); // by kind: "", "p" or "s"
  private final Object answering = new Object(); // held while a command is answered
  private boolean over; // no more replies come; guarded by expected
  private volatile boolean streaming; // a stream that is not cut into replies
  private boolean silent; // after CLIENT REPLY OFF
  private boolean skip; // CLIENT REPLY SKIP: the next command has no reply
  private Thread reader;
  private Thread receiver;

  /**
   * How many replies to a command that subscribes, or ends subscriptions, are still to come; -1 until that is known.
   */
  private static final class Acknowledgement {
    final String command;
    int left;

    Acknowledgement(String command, int left) {
      this.command = command;
      this.left = left;
    }
  }

  Link(Socket client, Socket server, Consumer<Link> gone) throws IOException {
    this.client = client;
    this.server = server;
    this.gone = gone;
    try {
      server.setTcpNoDelay(true);
      client.setTcpNoDelay(true);
      fromClient = new BufferedInputStream(client.getInputStream());
      toClient = client.getOutputStream();
      toServer = server.getOutputStream();
    } catch (IOException e) {
      server.close();
      throw e;
    }
  }

  void start(Proxy.Handler handler) {
    receiver = Proxy.daemon("miniserver-proxy-replies", this::receive);
    reader = Proxy.daemon("miniserver-proxy-commands", () -> read(handler));
  }

  List<Thread> threads() {
    return List.of(reader, receiver);
  }

  /** Reports whether the client is connected. */
  public boolean isOpen() {
    return !client.isClosed();
  }

  /** Closes both connections. Whoever waits for a reply gets an exception. */
  public void close() {
    for (Socket socket : List.of(client, server)) {
      try {
        socket.close();
      } catch (IOException e) {
        // it is closed all the same
      }
    }
    gone.accept(this);
    giveUp();
  }

  /** Lets nobody wait for a reply any more. */
  private void giveUp() {
    synchronized (expected) {
      over = true;
      expected.forEach(entry -> fail(entry, new EOFException("the connection is closed")));
      expected.clear();
    }
  }

  private static void fail(Object entry, IOException reason) {
    if (entry instanceof CompletableFuture<?> future) {
      future.completeExceptionally(reason);
    }
  }

  /** Sends bytes to the client. */
  public void send(byte[] bytes) throws IOException {
    synchronized (toClient) {
      toClient.write(bytes);
    }
  }

  private void read(Proxy.Handler handler) {
    try {
      var commands = new Frames(fromClient);
      for (List<byte[]> words; (words = commands.command()) != null;) {
        if (!words.isEmpty()) {
          answer(handler, words);
        }
      }
    } catch (Frames.ProtocolException e) {
      refuse(e.getMessage());
    } catch (IOException e) {
      // one of both is gone, and the other one goes too
    } finally {
      close();
    }
  }

  private void answer(Proxy.Handler handler, List<byte[]> words) throws IOException {
    synchronized (answering) {
      byte[] reply = handler.answer(words);
      if (reply != null) {
        send(reply);
      }
    }
  }

  private void refuse(String mistake) {
    try {
      send(Reply.error("ERR Protocol error: " + mistake));
    } catch (IOException e) {
      // the client has gone
    }
  }

  /**
   * Has the server execute a command, and waits for the reply. It is null if the client gets what the server sends
   * without further ado, as for SUBSCRIBE.
   *
   * @throws IOException if a connection is closed meanwhile
   */
  public byte[] proceed(List<byte[]> words) throws IOException {
    String name = lower(words.get(0));
    Object reply = expectation(name, words);
    synchronized (toServer) {
      expect(reply);
      toServer.write(Reply.array(words.stream().map(Reply::word).toList()));
    }
    return reply instanceof CompletableFuture<?> future ? await(future) : null;
  }

  private void expect(Object reply) throws IOException {
    synchronized (expected) {
      if (over) {
        throw new EOFException("the connection is closed");
      }
      if (reply != null) {
        expected.add(reply);
      }
    }
  }

  /** Waits for a reply. If the client goes meanwhile, the server must hear of it: it may have blocked the client. */
  private byte[] await(CompletableFuture<?> reply) throws IOException {
    while (true) {
      try {
        return (byte[]) reply.get(50, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        if (Thread.currentThread() == reader && hasHungUp()) {
          close();
        }
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new IOException(e);
      }
    }
  }

  private boolean hasHungUp() throws IOException {
    fromClient.mark(1);
    client.setSoTimeout(1);
    try {
      return fromClient.read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } finally {
      client.setSoTimeout(0);
      fromClient.reset();
    }
  }

  /**
   * Returns what waits for the reply to a command; null if there is none, or if it is not told from the rest of a
   * stream.
   */
  private Object expectation(String name, List<byte[]> words) {
    if (STREAMS.contains(name)) {
      streaming = true;
    }
    boolean skipped = skip;
    skip = false;
    if (name.equals("client") && words.size() == 3 && lower(words.get(1)).equals("reply")) {
      String mode = lower(words.get(2));
      silent = mode.equals("off") || silent && !mode.equals("on");
      skip = mode.equals("skip");
    }
    if (streaming || silent || skip || skipped) {
      return null;
    }
    if (SUBSCRIBING.contains(name) || UNSUBSCRIBING.contains(name)) {
      return new Acknowledgement(name, words.size() > 1 ? words.size() - 1 : -1);
    }
    return new CompletableFuture<byte[]>();
  }

  /** Reads what the server sends. At the end, what it has sent is passed on before the client is disconnected. */
  private void receive() {
    try {
      receive(new BufferedInputStream(server.getInputStream()));
    } catch (IOException e) {
      // as at the end
    }
    giveUp();
    if (isOpen()) {
      synchronized (answering) {
        close();
      }
    }
  }

  private void receive(BufferedInputStream in) throws IOException {
    var replies = new Frames(in);
    while (true) {
      in.mark(1);
      if (in.read() < 0) {
        return;
      }
      in.reset();
      if (streaming) {
        in.transferTo(toClient);
        return;
      }
      deliver(replies.reply());
    }
  }

  /** Gives a reply to what waits for it, and a message to the client. */
  private void deliver(byte[] frame) throws IOException {
    Push push = Push.in(frame);
    CompletableFuture<byte[]> waiting = null;
    synchronized (expected) {
      if (Arrays.equals(frame, RESET)) {
        channels.clear();
      }
      Object next = expected.peek();
      if (next instanceof Acknowledgement some && !isMessage(push)) {
        acknowledge(some, push);
      } else if (next != null && !isMessage(push) && frame[0] != '>') {
        waiting = future(expected.remove());
      }
    }
    if (waiting == null) {
      send(frame);
    } else {
      waiting.complete(frame);
    }
  }

  @SuppressWarnings("unchecked")
  private static CompletableFuture<byte[]> future(Object entry) {
    return (CompletableFuture<byte[]>) entry;
  }

  private boolean isMessage(Push push) {
    return push != null && MESSAGES.contains(push.kind) && channels.values().stream().anyMatch(set -> !set.isEmpty());
  }

  /** Counts a reply to a command about subscriptions. One that is none, such as an error, is the only reply to it. */
  private void acknowledge(Acknowledgement some, Push push) {
    if (push == null || !push.kind.equals(some.command)) {
      if (push == null) {
        expected.remove();
      }
      return;
    }
    boolean begins = SUBSCRIBING.contains(some.command);
    String prefix = some.command.substring(0, some.command.indexOf(begins ? "subscribe" : "unsubscribe"));
    var set = channels.computeIfAbsent(prefix, key -> new HashSet<>());
    if (some.left < 0) {
      some.left = Math.max(1, set.size());
    }
    if (begins) {
      set.add(push.channel);
    } else {
      set.remove(push.channel);
    }
    if (--some.left == 0) {
      expected.remove();
    }
  }

  private static String lower(byte[] word) {
    return new String(word, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
  }

  /** The first two words of an array: what a message is, and the channel that it is about. */
  private record Push(String kind, String channel) {
    /** Returns null for what is no message. */
    static Push in(byte[] frame) {
      if (frame[0] != '*' && frame[0] != '>') {
        return null;
      }
      String[] lines = new String(frame, 0, Math.min(frame.length, 1024), StandardCharsets.ISO_8859_1).split("\r\n", 6);
      boolean words = lines.length > 2 && lines[1].startsWith("$");
      return words ? new Push(lines[2], lines.length > 4 && !lines[3].startsWith("$-") ? lines[4] : "") : null;
    }
  }
}
