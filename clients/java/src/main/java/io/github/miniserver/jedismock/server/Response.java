package io.github.miniserver.jedismock.server;

import io.github.miniserver.jedismock.datastructures.Slice;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Makes replies, in the bytes of RESP2. */
public class Response {
  public static final String LINE_SEPARATOR = "\r\n";
  public static final Slice OK = simpleString("OK");
  public static final Slice QUEUED = simpleString("QUEUED");
  public static final Slice NULL = line('$', "-1");
  public static final Slice EMPTY_ARRAY = line('*', "0");
  public static final Slice NULL_ARRAY = line('*', "-1");
  /** Stands for no reply: the client has got one, or is to get none. */
  public static final Slice SKIP = Slice.create("Skip this submission");

  private Response() {}

  /** Returns a word; {@link #NULL} for null. */
  public static Slice bulkString(Slice word) {
    return word == null ? NULL : joined(line('$', "" + word.length()), word, Slice.create(LINE_SEPARATOR));
  }

  /** Returns an error, whose text should begin with a code such as ERR. A line break in it becomes a space. */
  public static Slice error(String text) {
    return line('-', text.replace('\r', ' ').replace('\n', ' '));
  }

  public static Slice simpleString(String text) {
    return line('+', text);
  }

  public static Slice integer(long value) {
    return line(':', "" + value);
  }

  /** Returns the whole number that is nearest, as an integer. */
  public static Slice doubleValue(double value) {
    return line(':', String.format(Locale.ROOT, "%.0f", value));
  }

  /** Returns an array of replies. */
  public static Slice array(Slice... replies) {
    return joined(line('*', "" + replies.length), joined(replies));
  }

  /** Returns an array of replies. */
  public static Slice array(List<Slice> replies) {
    return array(replies.toArray(Slice[]::new));
  }

  /** Returns a message of a channel, as subscribers get it. */
  public static Slice publishedMessage(Slice channel, Slice message) {
    return words("message", channel, bulkString(message));
  }

  /** Returns a message of a channel, as subscribers of a pattern get it. */
  public static Slice publishedPMessage(Slice pattern, Slice channel, Slice message) {
    return array(bulkString(Slice.create("pmessage")), bulkString(pattern), bulkString(channel), bulkString(message));
  }

  /** Returns the reply to SUBSCRIBE, with the number of subscriptions. */
  public static Slice subscribedToChannel(Slice channel, int count) {
    return words("subscribe", channel, integer(count));
  }

  /** Returns the reply to PSUBSCRIBE, with the number of subscriptions. */
  public static Slice psubscribedToPattern(Slice pattern, int count) {
    return words("psubscribe", pattern, integer(count));
  }

  /** Returns the reply to UNSUBSCRIBE, with the number of subscriptions that are left; the channel may be null. */
  public static Slice unsubscribe(Slice channel, int count) {
    return words("unsubscribe", channel, integer(count));
  }

  /** Returns the reply to PUNSUBSCRIBE, with the number of subscriptions that are left; the pattern may be null. */
  public static Slice punsubscribe(Slice pattern, int count) {
    return words("punsubscribe", pattern, integer(count));
  }

  /** Returns the reply to PING of a client that has subscribed. */
  public static Slice pongInSubscribeMode(Slice text) {
    return array(bulkString(Slice.create("pong")), bulkString(text));
  }

  private static Slice words(String kind, Slice subject, Slice last) {
    return array(bulkString(Slice.create(kind)), bulkString(subject), last);
  }

  private static Slice line(char kind, String text) {
    return Slice.create(kind + text + LINE_SEPARATOR);
  }

  private static Slice joined(Slice... parts) {
    var out = new ByteArrayOutputStream();
    for (Slice part : parts) {
      out.writeBytes(part.data());
    }
    return Slice.create(out.toByteArray());
  }
}
