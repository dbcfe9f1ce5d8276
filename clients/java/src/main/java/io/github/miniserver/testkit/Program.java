package io.github.miniserver.testkit;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A process of the program that is ready. It ends with {@link #close}, or with this process.
 *
 * <p>What was found need not be the program. So whatever does not say in time that it is ready is ended, with all that
 * it has started, and the error names its path and the reason.
 */
final class Program implements AutoCloseable {
  /** The bytes of a ready line, at most; a certificate is part of it. */
  private static final int MAX_LINE = 1 << 16;

  /** A variable of the environment by which all that the program has started is known, where the system shows it. */
  private static final String MARK = "MINISERVER_TESTKIT";

  private final Path path;
  private final Duration patience;
  private final Path log;
  private final String mark = UUID.randomUUID().toString();
  private final Process process;
  private final Ready ready;

  /**
   * Starts it. The variable MINISERVER_START_TIMEOUT is how many seconds it may take.
   *
   * @throws IllegalStateException if it does not get ready
   */
  Program(Path path, List<String> options, Map<String, String> environment) throws IOException {
    this.path = path;
    patience = patience(environment);
    log = Files.createTempFile("miniserver", ".log");
    log.toFile().deleteOnExit(); // for a server that a test never closes
    process = start(options);
    try {
      ready = waitUntilReady();
    } catch (RuntimeException e) {
      kill();
      Files.deleteIfExists(log);
      throw e;
    }
  }

  private Process start(List<String> options) throws IOException {
    var command = new ArrayList<>(List.of(path.toString()));
    command.addAll(options);
    var builder = new ProcessBuilder(command).redirectError(log.toFile());
    builder.environment().put(MARK, mark);
    try {
      Process started = builder.start();
      started.getOutputStream().close();
      return started;
    } catch (IOException e) {
      Files.delete(log);
      String message = String.valueOf(e.getMessage());
      String reason = message.contains("error=2,") ? "needs an interpreter that is not there"
          : "cannot be run: " + message;
      throw new IllegalStateException("miniserver does not start: " + path + " " + reason, e);
    }
  }

  /** Returns what it has said of itself. */
  Ready ready() {
    return ready;
  }

  /** Returns what it has logged. */
  String log() {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Ends it. If that takes longer than to start, it is killed. */
  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(patience.toMillis(), TimeUnit.MILLISECONDS)) {
        kill();
      }
      Files.deleteIfExists(log);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private Ready waitUntilReady() {
    String line = firstLine();
    Ready said = Ready.parse(line);
    if (said == null) {
      throw failure("printed \"" + shortened(line) + "\" in place of its ready line", "");
    }
    return said;
  }

  /** Returns the first line that it prints. */
  private String firstLine() {
    var line = new CompletableFuture<String>();
    var reader = new Thread(() -> line.complete(read(process.getInputStream())), "ready line of miniserver");
    reader.setDaemon(true);
    reader.start();
    long deadline = System.nanoTime() + patience.toNanos();
    while (System.nanoTime() < deadline) {
      boolean ended = !process.isAlive();
      if (ended) {
        kill(); // what it leaves behind may hold its output open
      }
      String text = within(ended ? 1000 : 10, line);
      if (ended) {
        throw failure("ended with status " + process.exitValue(), shortened(text));
      }
      if (!text.isEmpty()) {
        return text;
      }
    }
    throw failure("has not said in " + patience.toMillis() / 1e3 + " seconds that it is ready", "");
  }

  /** Returns the line if it comes in some milliseconds; otherwise "". */
  private String within(int millis, CompletableFuture<String> line) {
    try {
      String text = line.get(millis, TimeUnit.MILLISECONDS);
      if (text.isEmpty()) {
        process.waitFor(millis, TimeUnit.MILLISECONDS);
      }
      return text;
    } catch (TimeoutException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw failure("was not waited for", "");
    } catch (ExecutionException e) {
      throw new AssertionError(e);
    }
  }

  /** Reads a line without its end; "" if there is none. */
  private static String read(InputStream in) {
    var line = new ByteArrayOutputStream();
    try {
      for (int b; (b = in.read()) >= 0 && b != '\n' && line.size() < MAX_LINE; ) {
        line.write(b);
      }
    } catch (IOException e) {
      // It has ended.
    }
    return line.toString(StandardCharsets.UTF_8);
  }

  private IllegalStateException failure(String reason, String printed) {
    kill();
    String logged = log().strip();
    String words = (printed + " " + logged.substring(Math.max(0, logged.length() - 2000))).strip();
    return new IllegalStateException("miniserver does not start: " + path + " " + reason
        + (words.isEmpty() ? "" : ": " + words));
  }

  private static String shortened(String line) {
    return line.substring(0, Math.min(200, line.length())).strip();
  }

  /** Ends it and all that it has started. */
  private void kill() {
    Stream.concat(process.descendants(), ProcessHandle.allProcesses().filter(this::isMarked)).toList()
        .forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  /** Reports whether a process has the mark in its environment, which Linux tells. */
  private boolean isMarked(ProcessHandle other) {
    try {
      return Files.readString(Path.of("/proc/" + other.pid() + "/environ"), StandardCharsets.ISO_8859_1)
          .contains(MARK + "=" + mark);
    } catch (IOException e) {
      return false;
    }
  }

  /** Returns how long a server may take to get ready. */
  static Duration patience(Map<String, String> environment) {
    String text = environment.getOrDefault("MINISERVER_START_TIMEOUT", "");
    try {
      return Duration.ofMillis(Math.round(1000 * Double.parseDouble(text.isEmpty() ? "10" : text)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("MINISERVER_START_TIMEOUT: " + text + " is not a number of seconds");
    }
  }
}
