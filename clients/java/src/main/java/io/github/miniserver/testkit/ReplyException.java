package io.github.miniserver.testkit;

/** An error that the server has replied with. */
public class ReplyException extends RuntimeException {
  ReplyException(String message) {
    super(message);
  }
}
