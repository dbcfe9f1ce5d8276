package io.github.miniserver.embedded;

import io.github.miniserver.proxy.Call;
import io.github.miniserver.proxy.Reply;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A master that Sentinels of this process watch. They share what they know of it, so they cannot disagree. A thread
 * asks it and its replicas ten times a second; if it does not answer for long enough, the replica that has most of its
 * changes takes its place.
 */
final class Master {
  /** How a Sentinel is told to watch a master. Times are in milliseconds; the password is null if there is none. */
  record Monitor(String name, InetSocketAddress address, int quorum, long downAfter, long failoverTimeout,
      int parallelSyncs, String password) {}

  private static final int PAUSE = 100; // milliseconds between two questions
  private static final Pattern REPLICA = Pattern.compile("slave\\d+:ip=([^,]+),port=(\\d+),");
  private static final Pattern OFFSET = Pattern.compile("(?:slave|master)_repl_offset:(\\d+)");
  private static final Map<String, Master> WATCHED = new HashMap<>(); // by name and first address

  private final Monitor monitor;
  private final Set<RedisSentinel> sentinels = new LinkedHashSet<>();
  private final Set<InetSocketAddress> known = new LinkedHashSet<>(); // all that have been replicas or master
  private InetSocketAddress address; // of the present master
  private long heard = System.nanoTime(); // when it has answered last
  private long epoch;
  private Thread watcher;

  private Master(Monitor monitor) {
    this.monitor = monitor;
    address = monitor.address();
    known.add(address);
  }

  /** Returns the master that a monitor is about, which a Sentinel watches from now on. */
  static Master watch(Monitor monitor, RedisSentinel sentinel) {
    synchronized (WATCHED) {
      Master master = WATCHED.computeIfAbsent(key(monitor), key -> new Master(monitor));
      master.add(sentinel);
      return master;
    }
  }

  private static String key(Monitor monitor) {
    return monitor.name() + " " + monitor.address();
  }

  private synchronized void add(RedisSentinel sentinel) {
    sentinels.add(sentinel);
    if (watcher == null) {
      look();
      watcher = new Thread(this::run, "miniserver-sentinel");
      watcher.setDaemon(true);
      watcher.start();
    }
  }

  /** Ends the watch of a Sentinel. The thread ends with the last one. */
  void leave(RedisSentinel sentinel) {
    Thread last = null;
    synchronized (WATCHED) {
      synchronized (this) {
        sentinels.remove(sentinel);
        if (sentinels.isEmpty()) {
          WATCHED.remove(key(monitor));
          last = watcher;
        }
      }
    }
    if (last != null) {
      last.interrupt();
      try {
        last.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private void run() {
    try {
      while (true) {
        Thread.sleep(PAUSE);
        look();
      }
    } catch (InterruptedException e) {
      // nobody watches any more
    }
  }

  /** Asks the master who its replicas are. Replaces it if it has been down for too long. */
  private synchronized void look() {
    String info = info(address);
    if (info != null) {
      heard = System.nanoTime();
      for (Matcher m = REPLICA.matcher(info); m.find();) {
        known.add(new InetSocketAddress(m.group(1), Integer.parseInt(m.group(2))));
      }
      replicas().forEach(this::subject);
    } else if (isDown() && sentinels.size() >= monitor.quorum()) {
      replace();
    }
  }

  /** Makes a former master that has come back a replica. */
  private void subject(InetSocketAddress replica) {
    String info = info(replica);
    if (info != null && info.contains("role:master")) {
      follow(replica);
    }
  }

  private void follow(InetSocketAddress replica) {
    try {
      Call.ask(replica, monitor.password(), "REPLICAOF", host(address), "" + address.getPort());
    } catch (IOException e) {
      // it is gone; it is asked again as long as somebody watches
    }
  }

  /** Puts the replica with the most changes in the place of the master, and returns whether there is one. */
  private synchronized boolean replace() {
    Map<InetSocketAddress, Long> offsets = new HashMap<>();
    for (InetSocketAddress replica : replicas()) {
      String info = info(replica);
      Matcher m = OFFSET.matcher(info == null ? "" : info);
      if (m.find()) {
        offsets.put(replica, Long.valueOf(m.group(1)));
      }
    }
    var next = offsets.keySet().stream().max(Comparator.comparing(offsets::get));
    next.ifPresent(this::promote);
    return next.isPresent();
  }

  private void promote(InetSocketAddress next) {
    try {
      Call.ask(next, monitor.password(), "REPLICAOF", "NO", "ONE");
    } catch (IOException e) {
      return; // the next look may find another
    }
    InetSocketAddress former = address;
    address = next;
    heard = System.nanoTime();
    epoch++;
    replicas().forEach(this::follow);
    String message = String.join(" ", monitor.name(), host(former), "" + former.getPort(), host(next),
        "" + next.getPort());
    sentinels.forEach(sentinel -> sentinel.publish("+switch-master", message));
  }

  /** Replaces the master though it is not down, and returns whether there is a replica. */
  synchronized boolean failover() {
    look();
    return replace();
  }

  /** Returns what a server says of its replication; null if it does not answer. */
  private String info(InetSocketAddress server) {
    try {
      return Call.ask(server, monitor.password(), "INFO", "replication");
    } catch (IOException e) {
      return null;
    }
  }

  private boolean isDown() {
    return System.nanoTime() - heard > monitor.downAfter() * 1_000_000;
  }

  private List<InetSocketAddress> replicas() {
    return known.stream().filter(server -> !server.equals(address)).toList();
  }

  synchronized String name() {
    return monitor.name();
  }

  /** Returns the present master's host and port. */
  synchronized byte[] where() {
    return Reply.words(List.of(host(address), "" + address.getPort()));
  }

  private static String host(InetSocketAddress server) {
    InetAddress ip = server.getAddress();
    return ip == null ? server.getHostString() : ip.getHostAddress();
  }

  /** Returns what INFO says of it to clients of a Sentinel. */
  synchronized String summary() {
    return "name=" + monitor.name() + ",status=" + (isDown() ? "odown" : "ok")
        + ",address=" + host(address) + ":" + address.getPort()
        + ",slaves=" + replicas().size() + ",sentinels=" + sentinels.size();
  }

  /** Returns what SENTINEL MASTER says. */
  synchronized byte[] fields() {
    List<String> fields = common(monitor.name(), address, isDown() ? "s_down,o_down,master" : "master");
    fields.addAll(List.of("role-reported", "master", "config-epoch", "" + epoch, "num-slaves", "" + replicas().size(),
        "num-other-sentinels", "" + (sentinels.size() - 1), "quorum", "" + monitor.quorum(),
        "failover-timeout", "" + monitor.failoverTimeout(), "parallel-syncs", "" + monitor.parallelSyncs()));
    return Reply.words(fields);
  }

  /** Returns what SENTINEL REPLICAS says. */
  synchronized byte[] replicaFields() {
    return Reply.array(replicas().stream().map(this::fieldsOf).toList());
  }

  private byte[] fieldsOf(InetSocketAddress replica) {
    String info = info(replica);
    List<String> fields = common(host(replica) + ":" + replica.getPort(), replica,
        info == null ? "s_down,slave,disconnected" : "slave");
    Matcher m = OFFSET.matcher(info == null ? "" : info);
    fields.addAll(List.of("role-reported", "slave", "master-link-down-time", "0",
        "master-link-status", info != null && info.contains("master_link_status:up") ? "ok" : "err",
        "master-host", host(address), "master-port", "" + address.getPort(), "slave-priority", "100",
        "slave-repl-offset", m.find() ? m.group(1) : "0", "replica-announced", "1"));
    return Reply.words(fields);
  }

  /** Returns what SENTINEL SENTINELS says to clients of one of them. */
  synchronized byte[] sentinelFields(RedisSentinel asked) {
    return Reply.array(sentinels.stream().filter(sentinel -> sentinel != asked).map(sentinel ->
        Reply.words(common(sentinel.id(), sentinel.address(), "sentinel"))).toList());
  }

  private List<String> common(String name, InetSocketAddress server, String flags) {
    return new ArrayList<>(List.of("name", name, "ip", host(server), "port", "" + server.getPort(),
        "runid", id(server), "flags", flags, "link-pending-commands", "0", "link-refcount", "1",
        "last-ping-sent", "0", "last-ok-ping-reply", "0", "last-ping-reply", "0",
        "down-after-milliseconds", "" + monitor.downAfter()));
  }

  /** Returns 40 digits that stand for a server. */
  static String id(InetSocketAddress server) {
    return String.format("%08x%032x", server.getPort(), host(server).hashCode() & 0xffffffffL);
  }

  /** Reports whether enough Sentinels watch it, and how many there are. */
  synchronized byte[] quorum() {
    int count = sentinels.size();
    return count >= monitor.quorum()
        ? Reply.status("OK " + count + " usable Sentinels. Quorum and failover authorization can be reached")
        : Reply.error("NOQUORUM " + count
            + " usable Sentinels. Not enough available Sentinels to reach the specified quorum for this master");
  }
}
