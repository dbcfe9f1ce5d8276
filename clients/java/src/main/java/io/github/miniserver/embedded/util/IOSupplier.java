package io.github.miniserver.embedded.util;

import java.io.IOException;

/** Supplies something that may have to be read. */
@FunctionalInterface
public interface IOSupplier<T> {
  T get() throws IOException;
}
