package io.github.miniserver.testkit;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the program says of itself when it is ready: its address without a password, and its certificate. That is PEM,
 * or null without TLS.
 */
record Ready(Address address, long pid, String certificate) {
  private static final Pattern LINE = Pattern.compile("\"url\":\"(rediss?):.*\"port\":(\\d+),"
      + "\"addresses\":\\[\"\\[?([^\"]*?)\\]?:\\d+\".*"
      + "\"pid\":(\\d+)(?:.*\"certificate\":\"([^\"]*)\")?");

  /** Returns what a line says; null if it is none of the program's. */
  static Ready parse(String line) {
    Matcher m = LINE.matcher(line);
    if (!m.find()) {
      return null;
    }
    String certificate = m.group(5) == null ? null : m.group(5).replace("\\n", "\n");
    var address = new Address(m.group(1), m.group(3), Integer.parseInt(m.group(2)), null);
    return new Ready(address, Long.parseLong(m.group(4)), certificate);
  }
}
