package io.github.miniserver.testkit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.Store.CloseableResource;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Passes a {@link World} of its own to each test that has a parameter of that type, and the {@link Server} of the test
 * run, which starts with the first of them. The configuration parameter {@code miniserver.options} of JUnit has options
 * for it. If the environment variable MINISERVER_URL has the URL of a server that others have started, that is used.
 *
 * <pre>{@code
 * @ExtendWith(MiniserverExtension.class)
 * class SessionTest {
 *   @Test
 *   void expires(World world) { ... }
 * }
 * }</pre>
 */
public final class MiniserverExtension implements ParameterResolver {
  private static final Namespace NAMESPACE = Namespace.create(MiniserverExtension.class);

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == World.class || type == Server.class;
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    Server server = context.getRoot().getStore(NAMESPACE).getOrComputeIfAbsent("server", key -> {
      String options = context.getConfigurationParameter("miniserver.options").orElse("").strip();
      boolean attaches = !System.getenv().getOrDefault("MINISERVER_URL", "").isEmpty();
      return new RunningServer(Server.start(attaches || options.isEmpty() ? new String[0] : options.split("\\s+")));
    }, RunningServer.class).server;
    if (parameter.getParameter().getType() == Server.class) {
      return server;
    }
    return context.getStore(NAMESPACE).getOrComputeIfAbsent("world", key -> {
      String test = context.getTestMethod().map(method -> method.getName()).orElse(context.getDisplayName());
      return new OpenWorld(server.world(server.freshName(test)));
    }, OpenWorld.class).world;
  }

  /** Ends the server with the test run. */
  private record RunningServer(Server server) implements CloseableResource {
    @Override
    public void close() {
      server.close();
    }
  }

  /** Removes the world with the test. */
  private record OpenWorld(World world) implements CloseableResource {
    @Override
    public void close() {
      world.close();
    }
  }
}
