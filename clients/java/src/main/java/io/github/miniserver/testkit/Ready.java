package io.github.miniserver.testkit;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the program says of itself when it is ready: its address without a password, all that it listens on, as
 * host:port, and its certificate. That is PEM, or null without TLS.
 */
record Ready(Address address, List<String> addresses, long pid, String certificate) {
  private static final Pattern LINE = Pattern.compile("\"url\":\"(rediss?):.*\"port\":(\\d+),"
      + "\"addresses\":\\[((?:\"[^\"]*\",?)+)\\].*"
      + "\"pid\":(\\d+)(?:.*\"certificate\":\"([^\"]*)\")?");

  private static final Pattern QUOTED = Pattern.compile("[^\",]+");

  /** Returns what a line says; null if it is none of the program's. */
  static Ready parse(String line) {
    Matcher m = LINE.matcher(line);
    if (!m.find()) {
      return null;
    }
    String certificate = m.group(5) == null ? null : m.group(5).replace("\\n", "\n");
    List<String> all = QUOTED.matcher(m.group(3)).results().map(MatchResult::group).toList();
    String host = all.get(0).replaceFirst("^\\[?(.*?)]?:\\d+$", "$1");
    return new Ready(new Address(m.group(1), host, Integer.parseInt(m.group(2)), null), all, Long.parseLong(m.group(4)), certificate);
  }
}
