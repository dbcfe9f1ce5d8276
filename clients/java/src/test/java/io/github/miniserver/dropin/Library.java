package io.github.miniserver.dropin;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;

/** A library that a package of ours stands in for. */
enum Library {
  JEDIS_MOCK("jedis-mock", "com.github.fppt.jedismock", "io.github.miniserver.jedismock", "suites/jedismock"),
  EMBEDDED("codemonstur/embedded-redis", "redis.embedded", "io.github.miniserver.embedded", "suites/embedded"),
  OZIMOV("ozimov/embedded-redis", "redis.embedded", "io.github.miniserver.ozimov", "suites/ozimov");

  /** What its packages and ours begin with. */
  final String original;
  final String ours;
  /** The folder of the suites that are written for it. */
  final Path suites;
  private final String jar;

  Library(String jar, String original, String ours, String suites) {
    this.jar = jar;
    this.original = original;
    this.ours = ours;
    this.suites = Path.of("src/test").resolve(suites);
  }

  /** Returns the library's jar. Two libraries have classes of the same names. */
  Path jar() {
    try {
      String name = original.replace('.', '/') + "/RedisServer.class";
      List<URL> all = Collections.list(getClass().getClassLoader().getResources(name));
      String found = all.stream().map(URL::toString).filter(url -> url.contains(jar)).findFirst().orElseThrow();
      return Path.of(java.net.URI.create(found.substring("jar:".length(), found.indexOf('!'))));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a loader that has the library, and a folder of classes that use it, before all that these tests have. */
  URLClassLoader loader(Path classes) {
    try {
      return new URLClassLoader(new URL[] {classes.toUri().toURL(), jar().toUri().toURL()}, new Without(original));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The classes of these tests, without those of a library. */
  private static final class Without extends ClassLoader {
    private final String hidden;

    Without(String hidden) {
      super(Library.class.getClassLoader());
      this.hidden = hidden + ".";
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith(hidden)) {
        throw new ClassNotFoundException(name);
      }
      return super.loadClass(name, resolve);
    }
  }
}
