package io.github.miniserver.testkit;

import java.util.ArrayList;
import java.util.List;

/**
 * A whole Redis Cluster in one process, which {@link #start} starts and {@link #close} ends. A node is named by its address. What a method does
 * happens between two commands, and is over when it returns.
 */
public final class Cluster implements AutoCloseable {
  private final Server server;
  private final Clock clock;

  private Cluster(Server server) {
    this.server = server;
    clock = server.world("default").clock();
    clock.now(); // over a connection that stays when the first node is killed
  }

  /**
   * Starts a cluster.
   *
   * @param shards how many masters share the hash slots
   * @param replicas how many replicas each of them has
   * @param options of the program, for all nodes
   */
  public static Cluster start(int shards, int replicas, String... options) {
    var all = new ArrayList<>(List.of("--cluster-shards", "" + shards, "--cluster-replicas", "" + replicas));
    all.addAll(List.of(options));
    return new Cluster(Server.start(all.toArray(String[]::new)));
  }

  /** Returns the addresses of the nodes, as host:port: first those that begin as masters, then their replicas in the same order. */
  public List<String> addresses() {
    return server.addresses();
  }

  /** Returns the clock of all nodes. */
  public Clock clock() {
    return clock;
  }

  /** Executes a command at the first node. */
  public Object command(Object... words) {
    return server.command(words);
  }

  /** Ends a node as the end of its process would: nobody listens, its data are gone. */
  public void kill(String node) {
    command("MINI.CLUSTER", "KILL", node);
  }

  /** Stops a node, which answers nobody until {@link #cont}. */
  public void stop(String node) {
    command("MINI.CLUSTER", "STOP", node);
  }

  /** Lets a node that was stopped or killed go on. */
  public void cont(String node) {
    command("MINI.CLUSTER", "CONT", node);
  }

  /** Has a replica of a master take its place at once. */
  public void failover(String node) {
    command("MINI.CLUSTER", "FAILOVER", node);
  }

  /** Puts nodes on a side of their own: they hear only one another. */
  public void partition(String... nodes) {
    change("PARTITION", nodes);
  }

  /** Has a replica take a master's place, while that, on a side of its own, goes on. */
  public void split(String node) {
    command("MINI.CLUSTER", "SPLIT", node);
  }

  /** Keeps what a master confirms from now on from its replicas. */
  public void lose(String node) {
    command("MINI.CLUSTER", "LOSE", node);
  }

  /** Moves slots with their keys to a master in one step: numbers, or ranges such as "0-99". */
  public void move(String node, String... slots) {
    var words = new ArrayList<>(List.of(node));
    words.addAll(List.of(slots));
    change("MOVE", words.toArray(String[]::new));
  }

  /** Ends all that the methods above have begun. */
  public void heal() {
    command("MINI.CLUSTER", "HEAL");
  }

  private void change(String verb, String... words) {
    var all = new ArrayList<Object>(List.of("MINI.CLUSTER", verb));
    all.addAll(List.of(words));
    command(all.toArray());
  }

  /** Returns what the cluster has logged. */
  public String log() {
    return server.log();
  }

  /** Ends the process. */
  @Override
  public void close() {
    server.close();
  }
}
