package io.github.miniserver.embedded;

import io.github.miniserver.embedded.Master.Monitor;
import io.github.miniserver.embedded.core.RedisSentinelBuilder;
import io.github.miniserver.proxy.Link;
import io.github.miniserver.proxy.Proxy;
import io.github.miniserver.proxy.Reply;
import io.github.miniserver.testkit.Server;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A Sentinel: it tells clients where a master is, and replaces one that is down. SENTINEL is answered here; a process
 * of miniserver answers the rest, above all the subscriptions by which clients learn of the next master.
 */
public final class RedisSentinel extends RedisInstance {
  /** The commands that a Sentinel has. */
  private static final Set<String> COMMANDS = Set.of("acl", "auth", "client", "command", "hello", "info", "ping",
      "psubscribe", "publish", "punsubscribe", "quit", "reset", "shutdown", "subscribe", "unsubscribe");

  private final List<String> options = new ArrayList<>(List.of("--port", "0")); // of the process
  private final Map<String, List<String>> masters = new LinkedHashMap<>(); // the words after SENTINEL MONITOR, by name
  private final Map<String, Map<String, String>> details = new LinkedHashMap<>(); // settings of masters, by name
  private final Consumer<String> log;
  private final List<Master> watched = new ArrayList<>();
  private String bind = "127.0.0.1";
  private Server server;
  private Proxy proxy;

  /** Makes a Sentinel; see the other constructor. */
  public RedisSentinel(int port, List<String> command, boolean forceStop) {
    this(port, command, forceStop, null, null);
  }

  /**
   * Makes a Sentinel.
   *
   * @param command the name of the program, which is not used, and the settings of a sentinel.conf as options: two
   *     hyphens and the name, followed by the values
   * @param forceStop is not used: it always ends with this process
   * @param out gets the lines of the log if err is null
   * @param err gets the lines of the log when it has started; null is for nobody
   */
  public RedisSentinel(int port, List<String> command, boolean forceStop, Consumer<String> out, Consumer<String> err) {
    super(port);
    log = err == null ? out : err;
    List<String> words = new ArrayList<>();
    for (String word : command.subList(1, command.size())) {
      if (word.startsWith("--")) {
        set(words);
        words.clear();
      }
      words.add(word);
    }
    set(words);
  }

  private void set(List<String> words) {
    if (words.isEmpty()) {
      return;
    }
    switch (words.get(0)) {
      case "--sentinel" -> monitor(words);
      case "--port" -> { }
      case "--bind" -> bind = words.get(1);
      default -> options.addAll(words);
    }
  }

  private void monitor(List<String> words) {
    if (words.get(1).equals("monitor")) {
      masters.put(words.get(2), List.copyOf(words.subList(3, words.size())));
    } else if (words.size() == 4) {
      details.computeIfAbsent(words.get(2), name -> new LinkedHashMap<>()).put(words.get(1), words.get(3));
    }
  }

  public static RedisSentinelBuilder newRedisSentinel() {
    return new RedisSentinelBuilder();
  }

  @Override
  void open() throws IOException {
    server = Server.start(options.toArray(String[]::new));
    try {
      proxy = new Proxy(InetAddress.getByName(bind), ports().get(0), () -> new Socket(server.host(), server.port()),
          this::handler);
      for (String name : masters.keySet()) {
        watched.add(Master.watch(monitorOf(name), this));
      }
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
    if (log != null) {
      server.log().lines().forEach(log);
    }
  }

  private Monitor monitorOf(String name) {
    List<String> words = masters.get(name); // host, port, quorum
    Map<String, String> detail = details.getOrDefault(name, Map.of());
    var address = new InetSocketAddress(words.get(0), Integer.parseInt(words.get(1)));
    return new Monitor(name, address, Integer.parseInt(words.get(2)),
        Long.parseLong(detail.getOrDefault("down-after-milliseconds", "30000")),
        Long.parseLong(detail.getOrDefault("failover-timeout", "180000")),
        Integer.parseInt(detail.getOrDefault("parallel-syncs", "1")), detail.get("auth-pass"));
  }

  @Override
  void close() throws IOException {
    watched.forEach(master -> master.leave(this));
    watched.clear();
    if (proxy != null) {
      proxy.close();
      proxy = null;
    }
    server.close();
  }

  InetSocketAddress address() {
    return new InetSocketAddress(bind, ports().get(0));
  }

  String id() {
    return Master.id(address());
  }

  /** Tells subscribers of an event. */
  void publish(String channel, String message) {
    try {
      server.command("PUBLISH", channel, message);
    } catch (UncheckedIOException e) {
      // the process was killed: nobody is subscribed to it
    }
  }

  private Proxy.Handler handler(Link link) {
    return words -> {
      List<String> text = words.stream().map(word -> new String(word, StandardCharsets.UTF_8)).toList();
      String name = text.get(0).toLowerCase(Locale.ROOT);
      if (name.equals("sentinel")) {
        return sentinel(text);
      }
      if (name.equals("info") && text.size() == 2 && text.get(1).equalsIgnoreCase("sentinel")) {
        return Reply.word(info());
      }
      if (name.equals("role")) {
        return Reply.array(List.of(Reply.word("sentinel"), Reply.words(List.copyOf(masters.keySet()))));
      }
      return COMMANDS.contains(name) ? link.proceed(words) : unknown(text);
    };
  }

  /** Returns what INFO says of the masters. */
  private String info() {
    var text = new StringBuilder("# Sentinel\r\nsentinel_masters:" + watched.size() + "\r\nsentinel_tilt:0\r\n");
    for (int i = 0; i < watched.size(); i++) {
      text.append("master").append(i).append(":").append(watched.get(i).summary()).append("\r\n");
    }
    return text.toString();
  }

  private static byte[] unknown(List<String> words) {
    String arguments = words.stream().skip(1).map(word -> "'" + word + "' ").collect(Collectors.joining());
    return Reply.error("ERR unknown command '" + words.get(0) + "', with args beginning with: " + arguments);
  }

  private byte[] sentinel(List<String> words) {
    String name = words.size() > 1 ? words.get(1).toLowerCase(Locale.ROOT) : "";
    if (name.equals("masters")) {
      return Reply.array(watched.stream().map(Master::fields).toList());
    }
    if (name.equals("myid")) {
      return Reply.word(id());
    }
    if (words.size() != 3) {
      return Reply.error("ERR unknown subcommand or wrong number of arguments for 'sentinel|" + name + "' command");
    }
    Master master = watched.stream().filter(m -> m.name().equals(words.get(2))).findFirst().orElse(null);
    if (master == null) {
      return name.equals("get-master-addr-by-name") ? Reply.nothing()
          : Reply.error("ERR No such master with that name");
    }
    return switch (name) {
      case "get-master-addr-by-name" -> master.where();
      case "master" -> master.fields();
      case "replicas", "slaves" -> master.replicaFields();
      case "sentinels" -> master.sentinelFields(this);
      case "ckquorum" -> master.quorum();
      case "failover" -> master.failover() ? Reply.status("OK")
          : Reply.error("NOGOODSLAVE No suitable replica to promote");
      default -> Reply.error("ERR unknown subcommand '" + words.get(1) + "'. Try SENTINEL HELP.");
    };
  }
}
