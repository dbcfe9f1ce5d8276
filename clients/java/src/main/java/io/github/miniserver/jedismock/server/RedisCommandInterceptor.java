package io.github.miniserver.jedismock.server;

import io.github.miniserver.jedismock.datastructures.Slice;
import io.github.miniserver.jedismock.storage.OperationExecutorState;
import java.util.List;

/** Gets each command before the server does. It runs on a thread of the client's, so several may run at a time. */
@FunctionalInterface
public interface RedisCommandInterceptor {
  /**
   * Returns the reply to a command: one that {@link Response} makes, or that of the server, which {@link
   * io.github.miniserver.jedismock.operations.server.MockExecutor#proceed} returns.
   *
   * @param state what is known of the client
   * @param name of the command in lower case
   * @param parameters the words after it
   */
  Slice execCommand(OperationExecutorState state, String name, List<Slice> parameters);
}
