package io.github.miniserver.testkit;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

/**
 * A connection for the commands of the test kit. The kit has a client of its own, which speaks just enough of the protocol. So it
 * works beside every client library, of whatever version, and beside one that is mocked, pooled or in cluster mode.
 */
final class Connection implements AutoCloseable {
  private final Socket socket;
  private final InputStream replies;

  /** Connects to a world of a server. */
  Connection(Address address, String world) {
    this(address, world, Duration.ZERO);
  }

  /** Connects to a world of a server, with a limit for each thing that it waits for; without one if that is zero. */
  Connection(Address address, String world, Duration patience) {
    try {
      socket = open(address, (int) patience.toMillis());
      replies = new BufferedInputStream(socket.getInputStream());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try {
      if (address.password() != null) {
        command("AUTH", address.password());
      }
      command("MINI.WORLD", "USE", world, "OPERATOR"); // which no outage strikes
      socket.setSoTimeout(0);
    } catch (RuntimeException e) {
      close();
      throw e;
    } catch (IOException e) {
      close();
      throw new UncheckedIOException(e);
    }
  }

  private static Socket open(Address address, int millis) throws IOException {
    var plain = new Socket();
    try {
      plain.connect(new InetSocketAddress(address.host(), address.port()), millis);
      plain.setTcpNoDelay(true);
      plain.setSoTimeout(millis);
      if (!address.secure()) {
        return plain;
      }
      var secured = (SSLSocket) Certificates.ANY.getSocketFactory().createSocket(plain, address.host(), address.port(), true);
      SSLParameters parameters = secured.getSSLParameters();
      parameters.setServerNames(List.of()); // asks for no name: see Certificates
      secured.setSSLParameters(parameters);
      secured.startHandshake();
      return secured;
    } catch (IOException e) {
      plain.close();
      throw e;
    }
  }

  /** Returns the certificate that the server shows, as PEM; null without TLS. */
  String certificate() {
    return socket instanceof SSLSocket secured ? Certificates.shown(secured) : null;
  }

  /** Executes a command and returns its reply: a String, a Long, a List of replies, or null. Threads wait for each other. */
  synchronized Object command(Object... words) {
    try {
      socket.getOutputStream().write(encode(words));
      Object reply = read();
      if (reply instanceof ReplyException error) {
        throw error;
      }
      return reply;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Closes the connection if it is open. When this returns it is no client of its world any more. */
  void leave() {
    if (!socket.isClosed()) {
      command("MINI.WORLD", "USE", "default");
      close();
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] encode(Object[] words) {
    if (words.length == 0) {
      throw new IllegalArgumentException("a command has at least one word");
    }
    var out = new ByteArrayOutputStream();
    out.writeBytes(("*" + words.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
    for (Object word : words) {
      byte[] bytes = word instanceof byte[] b ? b : word.toString().getBytes(StandardCharsets.UTF_8);
      out.writeBytes(("$" + bytes.length + "\r\n").getBytes(StandardCharsets.US_ASCII));
      out.writeBytes(bytes);
      out.writeBytes(new byte[] {'\r', '\n'});
    }
    return out.toByteArray();
  }

  /** Reads a reply. An error is returned, since it may be part of an array. */
  private Object read() throws IOException {
    int kind = replies.read();
    if (kind < 0) {
      throw new EOFException("the server has closed the connection");
    }
    String text = readLine();
    return switch (kind) {
      case '+' -> text;
      case '-' -> new ReplyException(text);
      case ':' -> Long.valueOf(text);
      case '$' -> readBulk(Integer.parseInt(text));
      case '*' -> readArray(Integer.parseInt(text));
      default -> throw new IOException("unknown reply \"" + (char) kind + text + "\"");
    };
  }

  private String readLine() throws IOException {
    var line = new ByteArrayOutputStream();
    for (int b; (b = replies.read()) != '\r'; line.write(b)) {
      if (b < 0) {
        throw new EOFException("the server has closed the connection");
      }
    }
    replies.read();
    return line.toString(StandardCharsets.UTF_8);
  }

  private String readBulk(int size) throws IOException {
    if (size < 0) {
      return null;
    }
    byte[] bytes = replies.readNBytes(size + 2);
    return new String(bytes, 0, size, StandardCharsets.UTF_8);
  }

  private List<Object> readArray(int size) throws IOException {
    if (size < 0) {
      return null;
    }
    List<Object> list = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      list.add(read());
    }
    return list;
  }
}
