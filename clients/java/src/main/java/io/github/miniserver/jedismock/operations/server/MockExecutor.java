package io.github.miniserver.jedismock.operations.server;

import io.github.miniserver.jedismock.datastructures.Slice;
import io.github.miniserver.jedismock.server.Response;
import io.github.miniserver.jedismock.storage.OperationExecutorState;
import java.util.List;

/** What an interceptor does with a command that it does not answer itself. */
public class MockExecutor {
  /** Has the server execute a command, and returns its reply. */
  public static Slice proceed(OperationExecutorState state, String name, List<Slice> parameters) {
    return state.executed(name, parameters, state.owner().execute(name, parameters));
  }

  /** Ends the client's connection without a reply. */
  public static Slice breakConnection(OperationExecutorState state) {
    state.owner().close();
    return Response.SKIP;
  }
}
