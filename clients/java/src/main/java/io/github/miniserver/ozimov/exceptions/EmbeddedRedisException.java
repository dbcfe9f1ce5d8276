package io.github.miniserver.ozimov.exceptions;

/** A server does not start or end. */
public class EmbeddedRedisException extends RuntimeException {
  public EmbeddedRedisException(String message) {
    super(message);
  }

  public EmbeddedRedisException(String message, Throwable cause) {
    super(message, cause);
  }
}
