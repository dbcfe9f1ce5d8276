package io.github.miniserver.testkit;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server is, and the password of its default user; null if that needs none. As a text it has no password. */
record Address(String scheme, String host, int port, String password) {
  // URI knows no host with an underscore, as containers have it.
  private static final Pattern URL = Pattern.compile("(rediss?)://(?:([^:@/]*)(?::([^@/]*))?@)?(?:\\[([^]/]+)]|([^:@/\\[]+))(?::(\\d{1,5}))?(?:/.*)?");

  /**
   * Returns the address in a URL such as redis://:secret@host:6379, of which the path does not count.
   *
   * @throws IllegalArgumentException if it is no URL of a server
   */
  static Address of(String url) {
    Matcher m = URL.matcher(url);
    if (!m.matches()) {
      throw new IllegalArgumentException("the URL of a server begins with redis:// or rediss:// and a host, such as redis://:PASSWORD@localhost:6379");
    }
    String user = m.group(2);
    if (user != null && !user.isEmpty() && !user.equals("default")) {
      throw new IllegalArgumentException("the URL of a server has the password of its default user and no other user, so not " + user);
    }
    String password = m.group(3) == null ? null : decode(m.group(3));
    int port = m.group(6) == null ? 6379 : Integer.parseInt(m.group(6));
    return new Address(m.group(1), m.group(4) == null ? m.group(5) : m.group(4), port, password);
  }

  /** Returns the password that stands in a URL, where a plus is a plus. */
  private static String decode(String text) {
    try {
      return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("the URL of a server has a password with a % that begins no code: write %25 for it", e);
    }
  }

  boolean secure() {
    return scheme.equals("rediss");
  }

  /** Returns the URL by which a user logs in; without a password, nobody does. */
  String url(String user, String password) {
    String login = password == null ? "" : user + ":" + encoded(password) + "@";
    return scheme + "://" + login + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
  }

  /** Clients do not take a plus for a blank, as forms do. */
  private static String encoded(String password) {
    return URLEncoder.encode(password, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public String toString() {
    return url("", null);
  }
}
