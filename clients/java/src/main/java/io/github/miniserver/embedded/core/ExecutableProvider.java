package io.github.miniserver.embedded.core;

import io.github.miniserver.embedded.model.OsArchitecture;
import io.github.miniserver.embedded.util.IOSupplier;
import java.io.File;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

/** Finds a program. It is here so that tests compile: servers run miniserver, which the kit finds. */
@FunctionalInterface
public interface ExecutableProvider {
  String ENVIRONMENT_EXECUTABLE_LOCATION = "EMBEDDED_REDIS_EXECUTABLE";
  String PROPERTY_EXECUTABLE_LOCATION = "embedded.redis.executable";

  File get() throws IOException;

  /** Returns one that names miniserver. */
  static ExecutableProvider newJarResourceProvider() {
    return () -> new File("miniserver");
  }

  /** Returns one that names miniserver. Nothing is unpacked to the folder. */
  static ExecutableProvider newJarResourceProvider(File folder) {
    return newJarResourceProvider();
  }

  /** Returns one that names miniserver. Nothing is unpacked to the folder. */
  static ExecutableProvider newJarResourceProvider(IOSupplier<File> folder) {
    return newJarResourceProvider();
  }

  /** Returns one that names miniserver, and none of the files. */
  static ExecutableProvider newJarResourceProvider(Map<OsArchitecture, String> files) {
    return newJarResourceProvider();
  }

  /** Returns one that names miniserver, and none of the files. */
  static ExecutableProvider newJarResourceProvider(IOSupplier<File> folder, Map<OsArchitecture, String> files) {
    return newJarResourceProvider();
  }

  /** Returns one that names miniserver, and none of the files. */
  static ExecutableProvider newFileThenJarResourceProvider(Map<OsArchitecture, String> files) {
    return newJarResourceProvider();
  }

  static ExecutableProvider newEnvironmentVariableProvider() {
    return newEnvironmentVariableProvider(ENVIRONMENT_EXECUTABLE_LOCATION);
  }

  static ExecutableProvider newEnvironmentVariableProvider(String name) {
    return () -> new File(System.getenv(name));
  }

  static ExecutableProvider newSystemPropertyProvider() {
    return newSystemPropertyProvider(PROPERTY_EXECUTABLE_LOCATION);
  }

  static ExecutableProvider newSystemPropertyProvider(String name) {
    return () -> new File(System.getProperty(name));
  }

  /** Returns one for a program in PATH. */
  static ExecutableProvider newExecutableInPath(String name) throws FileNotFoundException {
    File file = Stream.of(System.getenv("PATH").split(File.pathSeparator)).map(dir -> new File(dir, name))
        .filter(File::canExecute).findFirst()
        .orElseThrow(() -> new FileNotFoundException("Could not find binary '" + name + "' in PATH"));
    return () -> file;
  }

  /** Returns one that names miniserver. Nothing is downloaded. */
  static ExecutableProvider newCachedUrlProvider(Path cache, URI address) {
    return newJarResourceProvider();
  }
}
