package io.github.miniserver.testkit;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.Pattern;

/** The program: where it is. A jar of the artifact miniserver-binary has it for one platform. */
final class Binary {
  private static Path unpacked;

  private Binary() {}

  /**
   * Returns the path of the program: the given one, that in MINISERVER_BINARY, that in a jar, or the first one in PATH
   * that can be run.
   *
   * @throws UncheckedIOException if there is none, which says what was found instead
   */
  static Path find(Path given, Map<String, String> environment) {
    String named = environment.getOrDefault("MINISERVER_BINARY", "");
    if (given != null) {
      return fit("the path", given);
    }
    if (!named.isEmpty()) {
      return fit("MINISERVER_BINARY", Path.of(named));
    }
    Path packaged = packaged();
    return packaged != null ? packaged : inPath(environment.getOrDefault("PATH", ""));
  }

  private static Path fit(String whence, Path given) {
    Path path = given.toAbsolutePath();
    String reason = unfit(path);
    if (reason != null) {
      throw missing(whence + " names " + path + ", which " + reason);
    }
    return path;
  }

  private static UncheckedIOException missing(String message) {
    return new UncheckedIOException(new NoSuchFileException(message));
  }

  private static Path inPath(String folders) {
    var unfit = new ArrayList<String>();
    for (String folder : folders.split(Pattern.quote(File.pathSeparator))) {
      if (folder.isEmpty()) {
        continue;
      }
      Path path = Path.of(folder, file());
      String reason = unfit(path);
      if (reason == null) {
        return path;
      }
      if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
        unfit.add(path + " " + reason);
      }
    }
    String found = unfit.isEmpty() ? "" : "; in PATH, " + String.join(", ", unfit);
    throw missing("there is no miniserver: pass a path, set MINISERVER_BINARY, or add it to PATH" + found);
  }

  /** Returns why a file cannot be the program, in words that follow its path; null if it may be. */
  private static String unfit(Path path) {
    if (Files.isDirectory(path)) {
      return "is a directory";
    }
    if (!Files.exists(path)) {
      return Files.isSymbolicLink(path) ? "leads to nothing" : "is not there";
    }
    if (!Files.isRegularFile(path)) {
      return "is not a file";
    }
    if (!Files.isExecutable(path)) {
      return "is not executable";
    }
    if (path.toFile().length() == 0) {
      return "is empty";
    }
    String here = machine(Path.of("/proc/self/exe"));
    String there = machine(path);
    return here != null && there != null && !here.equals(there) ? "is for another kind of machine" : null;
  }

  /**
   * Returns what a program of Linux says of the machine that it is for, its word size and processor; null of other
   * files.
   */
  private static String machine(Path path) {
    try (var in = Files.newInputStream(path)) {
      byte[] start = in.readNBytes(20);
      boolean elf = start.length > 4 && start[0] == 0x7f && start[1] == 'E' && start[2] == 'L' && start[3] == 'F';
      return elf ? start[4] + " " + Arrays.toString(Arrays.copyOfRange(start, 18, 20)) : null;
    } catch (IOException e) {
      return null;
    }
  }

  private static String file() {
    return system().equals("windows") ? "miniserver.exe" : "miniserver";
  }

  /**
   * Returns the program of a jar for this platform as a file, which goes with this process; null if there is no such
   * jar.
   */
  private static synchronized Path packaged() {
    String os = system();
    String file = file();
    if (unpacked == null) {
      try (InputStream program =
          Binary.class.getResourceAsStream("/io/github/miniserver/binary/" + os + "-" + processor() + "/" + file)) {
        unpacked = program == null ? null : unpack(program, file);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return unpacked;
  }

  private static Path unpack(InputStream program, String file) throws IOException {
    Path dir = Files.createTempDirectory("miniserver"); // only this user can write there
    Path path = dir.resolve(file);
    dir.toFile().deleteOnExit();
    path.toFile().deleteOnExit(); // the last one first
    Files.copy(program, path);
    if (!path.toFile().setExecutable(true)) {
      throw new IOException("cannot make " + path + " executable");
    }
    return path;
  }

  /** Returns the operating system as Go names it. */
  private static String system() {
    String name = System.getProperty("os.name").toLowerCase();
    return name.startsWith("windows") ? "windows" : name.startsWith("mac") ? "darwin" : name;
  }

  /** Returns the kind of processor as Go names it. */
  private static String processor() {
    String name = System.getProperty("os.arch");
    return name.equals("x86_64") ? "amd64" : name.equals("aarch64") ? "arm64" : name;
  }
}
