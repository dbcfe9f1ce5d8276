package io.github.miniserver.ozimov.exceptions;

/** A builder cannot build what it was told to. */
public class RedisBuildingException extends RuntimeException {
  public RedisBuildingException(String message) {
    super(message);
  }

  public RedisBuildingException(String message, Throwable cause) {
    super(message, cause);
  }
}
