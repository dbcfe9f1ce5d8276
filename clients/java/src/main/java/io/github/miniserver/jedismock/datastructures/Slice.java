package io.github.miniserver.jedismock.datastructures;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes that do not change: a word of a command, or a reply as it is sent. They are in the order of their values
 * without a sign.
 */
public final class Slice implements Comparable<Slice>, Serializable {
  private static final long serialVersionUID = 1;

  private final byte[] bytes;

  private Slice(byte[] bytes) {
    this.bytes = bytes;
  }

  /** Returns a copy of bytes. */
  public static Slice create(byte[] bytes) {
    return new Slice(bytes.clone());
  }

  /** Returns a text in UTF-8. */
  public static Slice create(String text) {
    return new Slice(text.getBytes(StandardCharsets.UTF_8));
  }

  public static Slice empty() {
    return new Slice(new byte[0]);
  }

  /** Returns a copy of the bytes. */
  public byte[] data() {
    return bytes.clone();
  }

  /** Returns the number of bytes. */
  public int length() {
    return bytes.length;
  }

  /** Returns the bytes as text in UTF-8. */
  @Override
  public String toString() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Slice slice && Arrays.equals(bytes, slice.bytes);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(bytes);
  }

  @Override
  public int compareTo(Slice other) {
    return Arrays.compareUnsigned(bytes, other.bytes);
  }
}
