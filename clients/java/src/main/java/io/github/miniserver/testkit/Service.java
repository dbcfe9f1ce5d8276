package io.github.miniserver.testkit;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A server that others have started: a service of docker compose or of a CI, or one that several processes share. */
final class Service {
  private static final Pattern CLIENT = Pattern.compile("id=(\\d+) addr=(\\S*) .*? name=(\\S*) .*");

  private Service() {}

  /**
   * Connects to a server, which may still start for some time, and requires that it has the test kit.
   *
   * @throws IllegalStateException if it has none, or wants another password
   * @throws UncheckedIOException if it cannot be reached
   */
  static Connection attach(Address address, Duration patience) {
    long end = System.nanoTime() + patience.toNanos();
    while (true) {
      try {
        return new Connection(address, "default", patience);
      } catch (ReplyException e) {
        throw new IllegalStateException(address + " " + refusal(e.getMessage()), e);
      } catch (UncheckedIOException e) {
        if (!mayStillStart(e.getCause()) || System.nanoTime() > end) {
          throw new UncheckedIOException(new IOException(address + " cannot be reached: " + e.getCause(), e.getCause()));
        }
      }
      pause();
    }
  }

  /** Reports whether a connection meets this while a server starts, or the network of its container. */
  private static boolean mayStillStart(IOException e) {
    return e instanceof ConnectException || e instanceof SocketException || e instanceof UnknownHostException || e instanceof EOFException;
  }

  private static void pause() {
    try {
      Thread.sleep(100);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("miniserver was not waited for", e);
    }
  }

  private static String refusal(String error) {
    if (error.contains("unknown command")) {
      return "has no test kit: start it with miniserver --test-kit yes, or a container with the arguments --test-kit yes --requirepass PASSWORD";
    }
    return error.startsWith("NOAUTH") ? "wants a password, as in redis://:PASSWORD@host:6379" : "does not let the kit in: " + error;
  }

  /** Returns what INFO says of the process. */
  static long pid(Connection connection) {
    Matcher m = Pattern.compile("process_id:(\\d+)").matcher((String) connection.command("INFO", "server"));
    return m.find() ? Long.parseLong(m.group(1)) : 0;
  }

  /** Returns what was left behind in the world of a connection, a line for each client and each leak, and disconnects the clients. */
  static List<String> leftIn(Connection connection) {
    var left = new ArrayList<String>();
    connection.command("MINI.FAULT", "CLEAR"); // which might strike what follows
    String own = connection.command("CLIENT", "ID").toString();
    Matcher client = CLIENT.matcher((String) connection.command("CLIENT", "LIST"));
    while (client.find()) {
      if (!client.group(1).equals(own)) {
        left.add("client " + client.group(1) + " at " + client.group(2) + (client.group(3).isEmpty() ? "" : " named " + client.group(3)));
      }
    }
    for (Object leak : (List<?>) connection.command("MINI.LEAKS")) {
      left.add((String) leak);
    }
    connection.command("CLIENT", "KILL", "SKIPME", "yes");
    return left;
  }
}
