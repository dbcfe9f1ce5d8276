package io.github.miniserver.dropin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Compares the classes of the originals, with their public and protected members, with ours, and writes the tables of the pages: -Dupdate.
 * Whatever is missing has a reason here.
 */
class SurfaceTest {
  private static final Path PAGES = Path.of("../../docs/start");

  /** The reasons why members are missing, or behave otherwise, by what their names begin with: of classes, without the common packages. */
  private static final Map<String, String> JEDIS_MOCK_MISSING = reasons(
      "operations.", "the commands of the mock; here it is the server that has them",
      "commands.", "the parser of the mock",
      "exception.", "thrown by the mock's commands and parser",
      "Utils", "helps the mock's commands",
      "RedisClient.run()", "the loop of the mock",
      "server.RedisOperationExecutor", "runs the mock's commands",
      "server.SliceParser", "the parser of the mock",
      "server.Response.clientResponse", "formats replies for the mock's log",
      "datastructures.Slice.extract()", "the data are in the server",
      "datastructures.", "the data are in the server: `MockExecutor.proceed` reads them",
      "storage.OperationExecutorState.", "of the mock's data and commands; `MockExecutor.proceed` reads and changes them",
      "storage.", "the data are in the server: `MockExecutor.proceed` reads them");
  private static final Map<String, String> JEDIS_MOCK_DIFFERS = reasons(
      "RedisServer.setOptions(",
      "the first interceptor of a running server ends the connections of its clients; cluster mode begins with the next start",
      "RedisServer.setClock(", "the first clock of a running server ends the connections of its clients; times before 1970 are errors",
      "server.RedisCommandInterceptor.execCommand(",
      "what it throws, and null, are errors that the client gets at once; there the client waits for ever",
      "server.ServiceOptions.withClusterModeEnabled()", "all of `CLUSTER` works");

  private static final Map<String, String> EMBEDDED_MISSING = reasons(
      "Redis.SERVER_READY_PATTERN", "the server says itself when it is ready",
      "Redis.SENTINEL_READY_PATTERN", "the server says itself when it is ready",
      "RedisInstance.RedisInstance(", "how a server is started is not for subclasses",
      "RedisShardedCluster.RedisShardedCluster(", "a cluster has one node; the builder makes it",
      "core.ExecutableProvider.REDIS_", "nothing is downloaded",
      "core.ExecutableProvider.newProvidedVersionsMap()", "there are no files of redis-server",
      "error.", "none of these errors can happen",
      "util.", "helps the library itself");
  private static final Map<String, String> EMBEDDED_DIFFERS = reasons(
      "RedisServer.RedisServer(int, File)", "the program is miniserver, as the kit finds it",
      "RedisServer.RedisServer(int, ExecutableProvider)", "the program is miniserver, as the kit finds it",
      "core.RedisServerBuilder.executableProvider(", "the program is miniserver, as the kit finds it",
      "core.RedisSentinelBuilder.executableProvider(", "the program is miniserver, as the kit finds it",
      "core.RedisServerBuilder.onShutdownForceStop(", "a server always ends with the process of the tests",
      "core.RedisSentinelBuilder.onShutdownForceStop(", "a Sentinel always ends with the process of the tests",
      "core.RedisServerBuilder.soutListener(", "gets the log when the server has started and when it ends",
      "core.RedisServerBuilder.serrListener(", "gets the log when the server has started and when it ends; the only listener then",
      "core.RedisShardedClusterBuilder.shard(", "adds ports; one node has all slots",
      "core.RedisShardedClusterBuilder.initializationTimeout(", "the cluster is ready when it has started");

  private static final Map<String, String> OZIMOV_MISSING = reasons(
      "RedisServer.redisReadyPattern()", "the server says itself when it is ready",
      "RedisSentinel.redisReadyPattern()", "the server says itself when it is ready",
      "RedisSentinel.RedisSentinel(", "the builder makes it",
      "exceptions.OsDetectionException", "cannot happen",
      "util.OSDetector", "helps the library itself",
      "util.OsArchitecture", "helps the library itself",
      "util.JarUtil", "helps the library itself");
  private static final Map<String, String> OZIMOV_DIFFERS = reasons(
      "RedisServer.RedisServer(File, int)", "the program is miniserver, as the kit finds it",
      "RedisServer.RedisServer(RedisExecProvider, int)", "the program is miniserver, as the kit finds it",
      "RedisServerBuilder.redisExecProvider(", "the program is miniserver, as the kit finds it",
      "RedisSentinelBuilder.redisExecProvider(", "the program is miniserver, as the kit finds it",
      "RedisExecProvider.override(", "the program is miniserver, as the kit finds it");

  private static Map<String, String> reasons(String... pairs) {
    Map<String, String> reasons = new LinkedHashMap<>();
    for (int i = 0; i < pairs.length; i += 2) {
      reasons.put(pairs[i], pairs[i + 1]);
    }
    return reasons;
  }

  @Test
  void jedisMock() throws Exception {
    check(Library.JEDIS_MOCK, "jedis-mock.md", "jedis-mock 1.1.18", JEDIS_MOCK_MISSING, JEDIS_MOCK_DIFFERS);
  }

  @Test
  void embedded() throws Exception {
    check(Library.EMBEDDED, "embedded-redis.md", "embedded-redis 1.4.4", EMBEDDED_MISSING, EMBEDDED_DIFFERS);
  }

  @Test
  void ozimov() throws Exception {
    check(Library.OZIMOV, "embedded-redis.md", "embedded-redis 0.7.3", OZIMOV_MISSING, OZIMOV_DIFFERS);
  }

  private static void check(Library library, String page, String title, Map<String, String> missing, Map<String, String> differs) throws Exception {
    String table = table(library, missing, differs);
    Path path = PAGES.resolve(page);
    String text = Files.readString(path);
    String begin = "<!-- surface of " + title + ": mvn -f clients/java/pom.xml test -Dtest=SurfaceTest -Dupdate -->\n\n";
    String end = "\n<!-- end -->";
    int from = text.indexOf(begin);
    int to = text.indexOf(end, from);
    assertTrue(from >= 0 && to >= 0, page + " has no room for the table");
    String changed = text.substring(0, from + begin.length()) + table + text.substring(to);
    if (System.getProperty("update") != null) {
      synchronized (SurfaceTest.class) {
        Files.writeString(path, changed);
      }
      return;
    }
    assertEquals(changed, text, page + " is stale: run the test with -Dupdate");
  }

  /** Returns rows for classes, and below each rows for the members that are missing or differ. */
  private static String table(Library library, Map<String, String> missing, Map<String, String> differs) throws Exception {
    var used = new HashSet<String>();
    Map<String, String> rows = new TreeMap<>();
    Map<String, Integer> absent = new TreeMap<>(); // the classes that are missing, by reason
    try (URLClassLoader loader = library.loader(Path.of("target"))) {
      for (String name : classes(library)) {
        Class<?> theirs = loader.loadClass(name);
        if (!isVisible(theirs)) {
          continue;
        }
        String shortName = name.substring(library.original.length() + 1).replace('$', '.');
        Class<?> ours = ours(library, name);
        if (ours == null) {
          absent.merge(reason(missing, shortName, used), 1, Integer::sum);
          continue;
        }
        var unlike = new ArrayList<String>();
        int members = 0;
        Set<String> here = signatures(members(ours, true));
        for (String signature : signatures(members(theirs, false))) {
          String member = shortName + "." + signature.substring(0, signature.indexOf(" : "));
          if (!here.contains(signature)) {
            unlike.add("| `" + shown(member, shortName) + "` | no | " + reason(missing, member, used) + " |\n");
          } else {
            members++;
            differs.keySet().stream().filter(member::startsWith).findFirst().ifPresent(key -> {
              used.add(key);
              unlike.add("| `" + shown(member, shortName) + "` | differs | " + differs.get(key) + " |\n");
            });
          }
        }
        rows.put(shortName, "| **`" + shortName + "`** | yes | " + members + (members == 1 ? " member" : " members") + " |\n" + joined(unlike));
      }
    }
    absent.forEach((why, count) -> rows.put("~" + why, "| " + count + (count == 1 ? " other class" : " other classes") + " | no | " + why + " |\n"));
    var unused = new ArrayList<>(missing.keySet());
    unused.addAll(differs.keySet());
    unused.removeAll(used);
    assertEquals(List.of(), unused, "reasons for nothing");
    return "| | here | |\n|---|---|---|\n" + String.join("", rows.values());
  }

  /** Returns a member without its class, below whose row it stands. */
  private static String shown(String member, String type) {
    return member.substring(type.length() + 1);
  }

  /** Joins rows. Those that have the same reason become one. */
  private static String joined(List<String> rows) {
    Map<String, String> names = new LinkedHashMap<>();
    for (String row : rows) {
      int end = row.indexOf(" | ");
      names.merge(row.substring(end), row.substring(2, end), (a, b) -> a + " " + b);
    }
    return names.entrySet().stream().map(entry -> "| " + entry.getValue() + entry.getKey()).collect(Collectors.joining());
  }

  private static String reason(Map<String, String> reasons, String name, Set<String> used) {
    String key = reasons.keySet().stream().filter(name::startsWith).findFirst()
        .orElseThrow(() -> new AssertionError(name + " is missing, and there is no reason"));
    used.add(key);
    return reasons.get(key);
  }

  private static List<String> classes(Library library) throws IOException {
    try (var jar = new JarFile(library.jar().toFile())) {
      return jar.stream().map(entry -> entry.getName()).filter(name -> name.endsWith(".class") && !name.matches(".*\\$\\d.*"))
          .map(name -> name.replace('/', '.').substring(0, name.length() - ".class".length())).filter(name -> name.startsWith(library.original + "."))
          .sorted().toList();
    }
  }

  private static Class<?> ours(Library library, String name) {
    try {
      Class<?> ours = Class.forName(library.ours + name.substring(library.original.length()));
      return isVisible(ours) ? ours : null;
    } catch (ClassNotFoundException e) {
      return null;
    }
  }

  private static boolean isVisible(Class<?> type) {
    boolean visible = Modifier.isPublic(type.getModifiers()) || Modifier.isProtected(type.getModifiers());
    return visible && (type.getEnclosingClass() == null || isVisible(type.getEnclosingClass()));
  }

  /** Returns what others may use of a class: what it declares, or also what it inherits, for which the compiler may have made methods. */
  private static List<Member> members(Class<?> type, boolean inherited) {
    List<Member> all = new ArrayList<>(List.of(type.getDeclaredConstructors()));
    all.addAll(List.of(inherited ? type.getMethods() : type.getDeclaredMethods()));
    all.addAll(List.of(type.getDeclaredMethods()));
    all.addAll(List.of(inherited ? type.getFields() : type.getDeclaredFields()));
    return all.stream().filter(member -> Modifier.isPublic(member.getModifiers()) || Modifier.isProtected(member.getModifiers()))
        .filter(member -> inherited || !member.isSynthetic()).sorted(Comparator.comparing(Object::toString)).distinct().toList();
  }

  /** Returns members as text, without the names of packages: name(types) : type throws types. */
  private static Set<String> signatures(List<Member> members) {
    return members.stream().map(SurfaceTest::signature).collect(Collectors.toCollection(TreeSet::new));
  }

  private static String signature(Member member) {
    if (member instanceof Field field) {
      return field.getName() + " : " + field.getType().getSimpleName();
    }
    var executable = (Executable) member;
    String name = member instanceof Constructor<?> ? member.getDeclaringClass().getSimpleName() : member.getName();
    String result = member instanceof Method method ? method.getReturnType().getSimpleName() : "";
    String checked = Stream.of(executable.getExceptionTypes()).filter(type -> !RuntimeException.class.isAssignableFrom(type))
        .map(Class::getSimpleName).sorted().collect(Collectors.joining(", "));
    return name + "(" + Stream.of(executable.getParameterTypes()).map(Class::getSimpleName).collect(Collectors.joining(", ")) + ") : " + result
        + (checked.isEmpty() ? "" : " throws " + checked);
  }
}
