package io.github.miniserver.jedismock.server;

import io.github.miniserver.jedismock.operations.server.MockExecutor;
import java.util.concurrent.atomic.AtomicInteger;

/** How a server is to behave. Options do not change. */
public class ServiceOptions {
  private static final RedisCommandInterceptor PROCEED = MockExecutor::proceed;

  private final RedisCommandInterceptor interceptor;
  private final boolean cluster;

  private ServiceOptions(RedisCommandInterceptor interceptor, boolean cluster) {
    this.interceptor = interceptor;
    this.cluster = cluster;
  }

  public static ServiceOptions defaultOptions() {
    return new ServiceOptions(PROCEED, false);
  }

  /**
   * Returns options by which the server executes so many commands, of all clients together; the next ones end their
   * connections.
   */
  public static ServiceOptions executeOnly(int commands) {
    var executed = new AtomicInteger();
    return withInterceptor((state, name, parameters) -> executed.incrementAndGet() > commands
        ? MockExecutor.breakConnection(state) : MockExecutor.proceed(state, name, parameters));
  }

  /** Returns options with an interceptor; null is for none. */
  public static ServiceOptions withInterceptor(RedisCommandInterceptor interceptor) {
    return new ServiceOptions(interceptor == null ? PROCEED : interceptor, false);
  }

  /** Returns these options for a server that is the one node of a cluster, with all slots. */
  public ServiceOptions withClusterModeEnabled() {
    return new ServiceOptions(interceptor, true);
  }

  public RedisCommandInterceptor getCommandInterceptor() {
    return interceptor;
  }

  public boolean isClusterModeEnabled() {
    return cluster;
  }

  /** Reports whether commands do not just go on to the server. */
  public boolean intercepts() {
    return interceptor != PROCEED;
  }
}
