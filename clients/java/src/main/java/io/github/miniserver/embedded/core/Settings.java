package io.github.miniserver.embedded.core;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Lines of a redis.conf, as options of a program. */
final class Settings {
  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|'([^']*)'|(\\S+)");

  private final List<String> options = new ArrayList<>();

  /** Adds lines. One that is empty, or a comment, has no effect. */
  void add(String lines) {
    lines.lines().forEach(this::addLine);
  }

  private void addLine(String line) {
    List<String> words = words(line);
    if (!words.isEmpty() && !words.get(0).startsWith("#")) {
      options.add("--" + words.get(0));
      options.addAll(words.subList(1, words.size()));
    }
  }

  private static List<String> words(String line) {
    List<String> words = new ArrayList<>();
    for (Matcher m = WORD.matcher(line); m.find();) {
      words.add(m.group(1) != null ? m.group(1) : m.group(2) != null ? m.group(2) : m.group(3));
    }
    return words;
  }

  void clear() {
    options.clear();
  }

  /** Returns the options: two hyphens and the name of a setting, followed by its values. */
  List<String> options() {
    return List.copyOf(options);
  }
}
