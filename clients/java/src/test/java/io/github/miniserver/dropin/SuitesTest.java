package io.github.miniserver.dropin;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.StringWriter;
import java.lang.annotation.Annotation;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Suites of tests that are written for the originals pass with them, and with our packages when nothing but the names of packages is
 * changed. They are in src/test/suites.
 */
@Execution(ExecutionMode.CONCURRENT)
class SuitesTest {
  @TempDir
  static Path dir;

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  Stream<DynamicTest> jedisMock() throws IOException {
    return both(Library.JEDIS_MOCK);
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  Stream<DynamicTest> embedded() throws IOException {
    return both(Library.EMBEDDED);
  }

  @TestFactory
  @Execution(ExecutionMode.CONCURRENT)
  Stream<DynamicTest> ozimov() throws IOException {
    return both(Library.OZIMOV);
  }

  private static Stream<DynamicTest> both(Library library) throws IOException {
    return Stream.concat(suites(library, library.original), suites(library, library.ours));
  }

  /** Compiles the suites of a library for one that has its packages elsewhere, and returns their tests. */
  private static Stream<DynamicTest> suites(Library library, String packages) throws IOException {
    Path work = dir.resolve(library + "-" + packages);
    Files.createDirectories(work);
    List<Path> sources = new ArrayList<>();
    for (Path suite : files(library.suites)) {
      String text = Files.readString(suite);
      String changed = text.replaceAll("(?m)^import " + library.original.replace(".", "\\."), "import " + packages);
      assertTrue(text.contains("import " + library.original), suite.toString());
      sources.add(Files.writeString(work.resolve(suite.getFileName()), changed));
    }
    String path = library.jar() + System.getProperty("path.separator") + System.getProperty("java.class.path");
    var problems = new StringWriter();
    var compiler = ToolProvider.getSystemJavaCompiler();
    var options = List.of("-proc:none", "-implicit:none", "-cp", path, "-d", work.toString());
    var files = compiler.getStandardFileManager(null, null, null).getJavaFileObjectsFromPaths(sources);
    assertTrue(compiler.getTask(problems, null, null, options, null, files).call(), problems::toString);
    URLClassLoader loader = library.loader(work);
    return sources.stream().flatMap(source -> tests(loader, source.getFileName().toString().replace(".java", ""), packages));
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }

  private static Stream<DynamicTest> tests(ClassLoader loader, String name, String packages) {
    try {
      Class<?> suite = loader.loadClass(name);
      return methods(suite, Test.class).map(test -> DynamicTest.dynamicTest(packages + ": " + name + "." + test.getName(),
          () -> run(suite, test, !packages.startsWith("io.github.miniserver"))));
    } catch (ClassNotFoundException e) {
      throw new AssertionError(e);
    }
  }

  private static Stream<Method> methods(Class<?> suite, Class<? extends Annotation> kind) {
    return Stream.of(suite.getDeclaredMethods()).filter(method -> method.isAnnotationPresent(kind)).sorted(Comparator.comparing(Method::getName))
        .peek(method -> method.setAccessible(true));
  }

  /**
   * Runs a test. A server of an original may not start: its port is one that a connection can take meanwhile, and it unpacks its program,
   * which Linux does not run if a process that another thread is just starting has inherited the file. So that is tried again.
   */
  private static void run(Class<?> suite, Method test, boolean original) throws Throwable {
    for (int tries = 1;; tries++) {
      try {
        runOnce(suite, test);
        return;
      } catch (IOException | RuntimeException e) {
        if (!original || tries == 5) {
          throw e;
        }
      }
    }
  }

  private static void runOnce(Class<?> suite, Method test) throws Throwable {
    var constructor = suite.getDeclaredConstructor();
    constructor.setAccessible(true);
    Object it = constructor.newInstance();
    try {
      for (Method before : methods(suite, BeforeEach.class).toList()) {
        before.invoke(it);
      }
      try {
        test.invoke(it);
      } finally {
        for (Method after : methods(suite, AfterEach.class).toList()) {
          after.invoke(it);
        }
      }
    } catch (InvocationTargetException e) {
      throw e.getCause();
    }
  }
}
