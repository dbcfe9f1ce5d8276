package io.github.miniserver.proxy;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** One command to a server, on a connection of its own. */
public final class Call {
  private static final int PATIENCE = 2000; // milliseconds

  private Call() {}

  /**
   * Sends a command and returns the text of its reply, which must be one word or line.
   *
   * @param password of the default user; null if it needs none
   * @throws IOException if nobody answers within two seconds, or with an error, whose text is the message
   */
  public static String ask(InetSocketAddress server, String password, String... words) throws IOException {
    try (var socket = new Socket()) {
      socket.connect(server, PATIENCE);
      socket.setSoTimeout(PATIENCE);
      var replies = new Frames(new BufferedInputStream(socket.getInputStream()));
      if (password != null) {
        socket.getOutputStream().write(Reply.words(List.of("AUTH", password)));
        text(replies.reply());
      }
      socket.getOutputStream().write(Reply.words(List.of(words)));
      return text(replies.reply());
    }
  }

  /**
   * Logs a connection in.
   *
   * @throws IOException if the server refuses that; the message is its error
   */
  public static void login(Socket connection, String user, String password) throws IOException {
    connection.getOutputStream().write(Reply.words(List.of("AUTH", user, password)));
    text(new Frames(connection.getInputStream()).reply());
  }

  private static String text(byte[] reply) throws IOException {
    String text = new String(reply, StandardCharsets.UTF_8);
    String line = text.substring(1, text.indexOf('\r'));
    return switch (text.charAt(0)) {
      case '-' -> throw new IOException(line);
      case '$' -> text.substring(text.indexOf('\n') + 1);
      default -> line;
    };
  }
}
