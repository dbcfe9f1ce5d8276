package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Which parts of a class get the same world. */
class LifecycleTest {
  @Nested
  @ExtendWith(MiniserverExtension.class)
  @Execution(ExecutionMode.CONCURRENT)
  class OfATest {
    @BeforeEach
    void before(World world) {
      assertEquals(1L, world.command("INCR", "steps"));
    }

    @RepeatedTest(4)
    void test(World world) {
      assertEquals(2L, world.command("INCR", "steps"));
    }

    @AfterEach
    void after(World world) {
      assertEquals(3L, world.command("INCR", "steps"));
    }
  }

  @Nested
  @ExtendWith(MiniserverExtension.class)
  class OfAConstructor {
    final World own;

    OfAConstructor(World world) {
      own = world;
    }

    @Test
    void itIsThatOfTheTest(World world) {
      assertSame(own, world);
    }
  }

  @Nested
  @ExtendWith(MiniserverExtension.class)
  @TestInstance(TestInstance.Lifecycle.PER_CLASS)
  class OfAClass {
    World own;

    @BeforeAll
    void prepare(World world) {
      own = world;
      world.command("SET", "prepared", "yes");
    }

    @RepeatedTest(2)
    void allTestsHaveIt(World world) {
      assertSame(own, world);
      assertEquals("yes", world.command("GET", "prepared"));
    }
  }
}
