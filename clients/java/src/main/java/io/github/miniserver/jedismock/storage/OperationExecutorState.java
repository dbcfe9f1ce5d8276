package io.github.miniserver.jedismock.storage;

import io.github.miniserver.jedismock.RedisClient;
import io.github.miniserver.jedismock.datastructures.Slice;
import io.github.miniserver.jedismock.server.Response;
import java.time.Clock;
import java.util.List;
import java.util.Locale;

/** What an interceptor sees of the client that has sent a command. */
public class OperationExecutorState {
  private final RedisClient owner;
  private volatile boolean transaction;
  private volatile int selected;
  private volatile String name;

  public OperationExecutorState(RedisClient owner) {
    this.owner = owner;
  }

  /** Returns the client. */
  public RedisClient owner() {
    return owner;
  }

  /** Returns what all clients of the server lock to change what they share. */
  public Object lock() {
    return owner.lock();
  }

  /** Reports whether the client is in a transaction, between MULTI and EXEC. */
  public boolean isTransactionModeOn() {
    return transaction;
  }

  /** Returns the number of the database that the client has selected. */
  public int getSelected() {
    return selected;
  }

  /** Returns the name that the client has given itself; null if it has none. */
  public String getClientName() {
    return name;
  }

  public boolean isClientConnected() {
    return owner.isConnected();
  }

  public int getPort() {
    return owner.getPort();
  }

  public String getServerHost() {
    return owner.getServerHost();
  }

  public Clock getClock() {
    return owner.getClock();
  }

  /** Notes what a command has changed here that the server has executed, and returns the reply. */
  public Slice executed(String command, List<Slice> parameters, Slice reply) {
    switch (command.toLowerCase(Locale.ROOT)) {
      case "multi" -> transaction = true;
      case "exec", "discard" -> transaction = false;
      case "select" -> {
        if (reply.equals(Response.OK)) {
          selected = Integer.parseInt(parameters.get(0).toString());
        }
      }
      case "client" -> {
        if (reply.equals(Response.OK) && parameters.get(0).toString().equalsIgnoreCase("SETNAME")) {
          name = parameters.get(1).toString();
        }
      }
      case "reset" -> {
        transaction = false;
        selected = 0;
        name = null;
      }
      default -> { }
    }
    return reply;
  }
}
