package io.github.miniserver.testkit;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What the program says of itself when it is ready; the certificate is PEM, or null without TLS. */
record Ready(String scheme, String host, int port, long pid, String certificate) {
  private static final Pattern LINE = Pattern.compile("\"url\":\"(rediss?):.*\"port\":(\\d+),\"addresses\":\\[\"\\[?([^\"]*?)\\]?:\\d+\".*\"pid\":(\\d+)(?:.*\"certificate\":\"([^\"]*)\")?");

  /** Returns what a line says; null if it is none of the program's. */
  static Ready parse(String line) {
    Matcher m = LINE.matcher(line);
    if (!m.find()) {
      return null;
    }
    String certificate = m.group(5) == null ? null : m.group(5).replace("\\n", "\n");
    return new Ready(m.group(1), m.group(3), Integer.parseInt(m.group(2)), Long.parseLong(m.group(4)), certificate);
  }
}
