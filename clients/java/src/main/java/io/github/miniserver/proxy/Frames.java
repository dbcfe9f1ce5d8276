package io.github.miniserver.proxy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/** Cuts commands and replies off a stream. Replies stay as they are, byte for byte. */
final class Frames {
  private static final int MOST_WORDS = 1 << 20;
  private static final int LONGEST = 512 << 20; // of a word, as in Redis

  private final InputStream in;

  Frames(InputStream in) {
    this.in = in;
  }

  /** Bytes that are no command. The message is what Redis replies. */
  static final class ProtocolException extends IOException {
    ProtocolException(String message) {
      super(message);
    }
  }

  /**
   * Returns the words of the next command, which may be none; null at the end of the stream.
   *
   * @throws ProtocolException if there is no command
   */
  List<byte[]> command() throws IOException {
    int first = in.read();
    if (first < 0) {
      return null;
    }
    String line = line(first);
    return first == '*' ? words(number(line, MOST_WORDS, "invalid multibulk length")) : inline(line);
  }

  private List<byte[]> words(int count) throws IOException {
    List<byte[]> words = new ArrayList<>();
    while (words.size() < count) {
      int kind = in.read();
      String line = line(kind);
      if (kind != '$') {
        throw new ProtocolException("expected '$', got '" + line.charAt(0) + "'");
      }
      byte[] word = bytes(number(line, LONGEST, "invalid bulk length"));
      bytes(2);
      words.add(word);
    }
    return words;
  }

  /** Splits a command that somebody has typed. */
  private static List<byte[]> inline(String line) {
    List<byte[]> words = new ArrayList<>();
    for (String word : line.split("\\s+")) {
      if (!word.isEmpty()) {
        words.add(word.getBytes(StandardCharsets.ISO_8859_1));
      }
    }
    return words;
  }

  /** Returns the number behind the first character of a line. */
  private static int number(String line, int most, String mistake) throws ProtocolException {
    try {
      int n = Integer.parseInt(line.substring(1));
      if (n <= most) {
        return n;
      }
    } catch (NumberFormatException e) {
      // as for one that is too large
    }
    throw new ProtocolException(mistake);
  }

  /** Returns the next reply with all that belongs to it, in RESP2 or RESP3. */
  byte[] reply() throws IOException {
    var out = new ByteArrayOutputStream();
    reply(out);
    return out.toByteArray();
  }

  private void reply(ByteArrayOutputStream out) throws IOException {
    int kind = in.read();
    String line = line(kind);
    out.writeBytes((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1));
    switch (kind) {
      case '$', '=', '!' -> {
        int size = Integer.parseInt(line.substring(1));
        if (size >= 0) {
          out.writeBytes(bytes(size + 2));
        }
      }
      case '*', '~', '>' -> replies(out, Integer.parseInt(line.substring(1)));
      case '%' -> replies(out, 2 * Integer.parseInt(line.substring(1)));
      case '|' -> replies(out, 2 * Integer.parseInt(line.substring(1)) + 1); // attributes, and what has them
      default -> { } // a line is all
    }
  }

  private void replies(ByteArrayOutputStream out, int count) throws IOException {
    for (int i = 0; i < count; i++) {
      reply(out);
    }
  }

  /** Returns the rest of a line, with its first character, which has been read. */
  private String line(int first) throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b = first; b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("the stream ends within a line");
      }
      if (line.size() > 64 << 10 && first != '+' && first != '-') {
        throw new ProtocolException("too big inline request");
      }
      line.write(b);
    }
    String text = line.toString(StandardCharsets.ISO_8859_1);
    return text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
  }

  private byte[] bytes(int size) throws IOException {
    byte[] bytes = in.readNBytes(Math.max(0, size));
    if (bytes.length < size) {
      throw new EOFException("the stream ends within a word");
    }
    return bytes;
  }
}
