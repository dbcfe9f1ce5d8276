package io.github.miniserver.testkit;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The program: where it is. A jar of the artifact miniserver-binary has it for one platform. */
final class Binary {
  private static Path unpacked;

  private Binary() {}

  /** Returns the path of the program: the given one, that in MINISERVER_BINARY, that in a jar, or the one in PATH. */
  static String find(Path given) {
    String named = System.getenv("MINISERVER_BINARY");
    if (given != null) {
      return given.toString();
    }
    if (named != null && !named.isEmpty()) {
      return named;
    }
    Path packaged = packaged();
    return packaged != null ? packaged.toString() : "miniserver";
  }

  /** Returns the program of a jar for this platform as a file, which goes with this process; null if there is no such jar. */
  private static synchronized Path packaged() {
    String os = system();
    String file = os.equals("windows") ? "miniserver.exe" : "miniserver";
    if (unpacked == null) {
      try (InputStream program = Binary.class.getResourceAsStream("/io/github/miniserver/binary/" + os + "-" + processor() + "/" + file)) {
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
