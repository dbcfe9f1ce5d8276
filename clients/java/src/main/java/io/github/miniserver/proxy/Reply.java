package io.github.miniserver.proxy;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Makes replies in the bytes of the protocol, which are the same in RESP2 and RESP3. */
public final class Reply {
  private Reply() {}

  /** Returns a word. */
  public static byte[] word(String text) {
    return word(text.getBytes(StandardCharsets.UTF_8));
  }

  static byte[] word(byte[] bytes) {
    return joined(line("$" + bytes.length), bytes, line(""));
  }

  /** Returns a text of one line, such as OK. */
  public static byte[] status(String text) {
    return line("+" + text);
  }

  /** Returns an error of one line, which begins with a code such as ERR. */
  public static byte[] error(String text) {
    return line("-" + text.replace('\r', ' ').replace('\n', ' '));
  }

  /** Returns an array of replies. */
  public static byte[] array(List<byte[]> replies) {
    return joined(line("*" + replies.size()), joined(replies.toArray(byte[][]::new)));
  }

  /** Returns an array of words. */
  public static byte[] words(List<String> words) {
    return array(words.stream().map(Reply::word).toList());
  }

  /** Returns the array that there is not. */
  public static byte[] nothing() {
    return line("*-1");
  }

  private static byte[] line(String text) {
    return (text + "\r\n").getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] joined(byte[]... parts) {
    var out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }
}
