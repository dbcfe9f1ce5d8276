package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Programs that are not miniserver, in PATH and elsewhere: the kit says so, and leaves nothing behind. */
class ProgramTest {
  private static final Path PROGRAM = Binary.find(null, System.getenv());
  @TempDir static Path hostile;

  @BeforeAll
  static void make() throws Exception {
    assertEquals(0, new ProcessBuilder("../testdata/hostile", hostile.toString()).inheritIO().start().waitFor());
  }

  @ParameterizedTest
  @ValueSource(strings = {"argument", "MINISERVER_BINARY", "PATH"})
  void hostilePrograms(String way) throws Exception {
    for (Path folder : cases()) {
      Path file = folder.resolve("miniserver");
      Files.deleteIfExists(folder.resolve("pids"));
      var environment = new HashMap<String, String>();
      if (Files.exists(folder.resolve("hangs"))) {
        environment.put("MINISERVER_START_TIMEOUT", "0.3");
      }
      environment.put(way, way.equals("PATH") ? path(Path.of(""), Path.of("/no/such"), folder.resolve("reason"), folder) : file.toString());
      var error = assertThrows(RuntimeException.class, () -> Server.start(way.equals("argument") ? file : null, environment));
      var told = Pattern.compile(Pattern.quote(file.toString()) + ",?( which)? (" + Files.readString(folder.resolve("reason")).strip() + ")");
      assertTrue(told.matcher(error.getMessage()).find(), told + " in " + error.getMessage());
      for (String pid : pids(folder)) {
        while (runs(pid)) {
          Thread.sleep(10); // the system ends it soon
        }
      }
    }
  }

  private static List<Path> cases() throws IOException {
    try (Stream<Path> folders = Files.list(hostile)) {
      return folders.sorted().toList();
    }
  }

  private static String path(Path... folders) {
    return Stream.of(folders).map(Path::toString).collect(Collectors.joining(File.pathSeparator));
  }

  private static List<String> pids(Path folder) throws IOException {
    Path file = folder.resolve("pids");
    return Files.exists(file) ? Files.readAllLines(file) : List.of(); // it may have been ended before it had begun
  }

  /** Reports whether a process runs. One that has ended may stay until its parent asks how. */
  private static boolean runs(String pid) throws IOException {
    String state = new ProcessBuilder("ps", "-o", "stat=", "-p", pid).start().inputReader().lines().collect(Collectors.joining()).strip();
    return !state.isEmpty() && !state.startsWith("Z");
  }

  @Test
  void whatCannotRunIsPassedOver() throws Exception {
    var folders = new ArrayList<Path>();
    for (Path folder : cases()) {
      if (!Files.readString(folder.resolve("reason")).matches("(?s)(ended|needs|printed|has not).*")) {
        folders.add(folder);
      }
    }
    folders.add(PROGRAM.getParent());
    try (var server = Server.start(null, Map.of("PATH", path(folders.toArray(Path[]::new))))) {
      assertEquals("PONG", server.command("PING"));
    }
  }

  @Test
  void aLimitThatIsNoNumber() {
    var error = assertThrows(IllegalArgumentException.class, () -> Server.start(PROGRAM, Map.of("MINISERVER_START_TIMEOUT", "soon")));
    assertEquals("MINISERVER_START_TIMEOUT: soon is not a number of seconds", error.getMessage());
  }
}
