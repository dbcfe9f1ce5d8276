package io.github.miniserver.testkit;

import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A world of a server: databases, scripts, channels, a clock, faults and random numbers of its own. It begins with its
 * first client, and one that connects to {@link #url} is in it. {@link #close} removes what it holds.
 */
public final class World implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final Server server;
  private final String name;
  private final Clock clock = new Clock(this);
  private final Faults faults = new Faults(this);
  private final Outage outage = new Outage(this);
  private final Chaos chaos = new Chaos(this);
  private Connection own;

  World(Server server, String name) {
    this.server = server;
    this.name = name;
  }

  public Server server() {
    return server;
  }

  public String name() {
    return name;
  }

  public String host() {
    return server.host();
  }

  public int port() {
    return server.port();
  }

  /** Returns the user as which clients log in to the world. */
  public String username() {
    return "world";
  }

  /** Returns the password of that user: the name of the world, and what the server demands of any client. */
  public String password() {
    return server.passwordOf(name);
  }

  /** Returns the URL by which any client connects to the world. */
  public URI url() {
    return URI.create(server.address().url(username(), password()));
  }

  public Clock clock() {
    return clock;
  }

  public Faults faults() {
    return faults;
  }

  public Outage outage() {
    return outage;
  }

  public Chaos chaos() {
    return chaos;
  }

  /** Executes a command in this world and returns its reply: a String, a Long, a List of replies, or null. */
  public synchronized Object command(Object... words) {
    if (own == null) {
      own = server.connect(name);
    }
    return own.command(words);
  }

  /** Starts all that is random anew, so that it repeats. */
  public void seed(long number) {
    command("MINI.SEED", number);
  }

  /** Keeps a copy of the data, the functions and the clock; every world of the server can restore it. */
  public void snapshot(String name) {
    command("MINI.WORLD", "SNAPSHOT", name);
  }

  /** Replaces the data, the functions and the clock by those of a snapshot. */
  public void restore(String name) {
    command("MINI.WORLD", "RESTORE", name);
  }

  /** Removes a snapshot. */
  public void forget(String name) {
    command("MINI.WORLD", "FORGET", name);
  }

  /** Makes the world as it was when it was new. Its clients stay. */
  public void reset() {
    command("MINI.WORLD", "RESET");
  }

  /** Makes a new world with a copy of this one. */
  public World fork() {
    return fork(server.freshName(name));
  }

  /** Makes a new world of that name with a copy of this one. */
  public World fork(String name) {
    command("MINI.WORLD", "FORK", this.name, name);
    return server.world(name);
  }

  /** Returns the data as text, for golden files. */
  public String dump() {
    return text(lines("MINI.DUMP"));
  }

  /** Returns the data of the keys that match as text. */
  public String dump(String pattern) {
    return text(lines("MINI.DUMP", pattern));
  }

  /** Returns how the data differ from those of a snapshot or another world: as text, "" if they are equal. */
  public String diff(String before) {
    return text(lines("MINI.DIFF", before, name));
  }

  /** Gives the present moment a name, for {@link #leaks(String)}. */
  public void mark(String name) {
    command("MINI.LEAKS", "MARK", name);
  }

  /** Returns a line for each key without a deadline, lock, open transaction, blocked or subscribed client. */
  public List<String> leaks() {
    return lines("MINI.LEAKS");
  }

  /** Returns the leaks that were not there at a mark. */
  public List<String> leaks(String since) {
    return lines("MINI.LEAKS", "SINCE", since);
  }

  /** Waits until that many clients are blocked, in BLPOP for example. */
  public void waitForBlocked(int count) throws TimeoutException {
    waitFor(PATIENCE, "BLOCKED", count);
  }

  /** Waits until a key exists. */
  public void waitForKey(String key) throws TimeoutException {
    waitFor(PATIENCE, "KEY", key);
  }

  /** Waits until a key is a string of that value. */
  public void waitForKey(String key, String value) throws TimeoutException {
    waitFor(PATIENCE, "KEY", key, value);
  }

  /** Waits until a value has that many elements, or bytes. */
  public void waitForLength(String key, int count) throws TimeoutException {
    waitFor(PATIENCE, "LENGTH", key, count);
  }

  /** Waits until that many clients listen to a channel. */
  public void waitForSubscribers(String channel, int count) throws TimeoutException {
    waitFor(PATIENCE, "SUBSCRIBERS", channel, count);
  }

  /** Waits until the outage has hit that many connections. */
  public void waitForOutage(int count) throws TimeoutException {
    waitFor(PATIENCE, "OUTAGE", count);
  }

  /** Waits until no command has ended for some time. */
  public void waitForQuiet(Duration time) throws TimeoutException {
    waitFor(PATIENCE, "QUIET", time.toMillis());
  }

  /**
   * Waits until something is the case, in the words of MINI.WAITFOR. The waits without a timeout have one of five
   * seconds.
   *
   * @throws TimeoutException which says what was there instead
   */
  public void waitFor(Duration timeout, Object... condition) throws TimeoutException {
    List<Object> words = new ArrayList<>(List.of("MINI.WAITFOR"));
    words.addAll(List.of(condition));
    words.addAll(List.of("TIMEOUT", timeout.toMillis()));
    try (var alone = server.connect(name)) { // so that it does not hold up other commands
      alone.command(words.toArray());
    } catch (ReplyException e) {
      if (e.getMessage().startsWith("TIMEOUT ")) {
        throw new TimeoutException(e.getMessage());
      }
      throw e;
    }
  }

  /**
   * Removes what the world holds; if clients are left in it, it stays, empty. A warning in the log ({@link
   * System.Logger}) tells of faults that struck nothing.
   */
  @Override
  public synchronized void close() {
    if (server.isClosed()) {
      return;
    }
    if (own != null) {
      faults.warn();
      own.leave();
      own = null;
    }
    server.drop(name);
  }

  private List<String> lines(Object... words) {
    return ((List<?>) command(words)).stream().map(String.class::cast).toList();
  }

  private static String text(List<String> lines) {
    return lines.stream().map(line -> line + "\n").collect(Collectors.joining());
  }
}
