package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.redisson.Redisson;
import org.redisson.api.RLock;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;
import org.redisson.config.ReadMode;

/**
 * Redisson's lock and rate limiter keep their promises while leaders of a group are killed: never two holders, never more permits than the rate.
 * -Dkills=20 kills more of them.
 */
class GroupsTest {
  private static final int KILLS = Integer.getInteger("kills", 2);
  private static final int RATE = 10;
  private static final Duration LEASE = Duration.ofSeconds(6);

  private Process group;
  private BufferedReader answers;

  private String[] start(String... options) throws Exception {
    boolean installed = Stream.of(System.getenv("PATH").split(":")).anyMatch(dir -> Files.exists(Path.of(dir, "redis-cli")));
    assumeTrue(installed && System.getenv("MINISERVER_BINARY") != null, "redis-cli or MINISERVER_BINARY is missing");
    var command = new ArrayList<>(List.of("../testdata/group"));
    command.addAll(List.of(options));
    group = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    answers = new BufferedReader(new InputStreamReader(group.getInputStream()));
    return Stream.of(answers.readLine().split(" ")).map(port -> "redis://127.0.0.1:" + port).toArray(String[]::new);
  }

  @Test
  void sentinelMode() throws Exception {
    var config = new Config();
    config.useSentinelServers().setMasterName("mymaster").setScanInterval(200).setReadMode(ReadMode.MASTER).setTimeout(1000)
        .setRetryAttempts(20).addSentinelAddress(start());
    promisesHold(config);
  }

  @Test
  void clusterMode() throws Exception {
    var config = new Config();
    config.useClusterServers().setScanInterval(200).setReadMode(ReadMode.MASTER).setTimeout(1000).setRetryAttempts(20)
        .addNodeAddress(start("--cluster-enabled", "yes"));
    promisesHold(config);
  }

  private void promisesHold(Config config) throws Exception {
    var client = Redisson.create(config);
    var over = new AtomicBoolean();
    var lock = new Locking(client, over);
    var limiter = new Limiting(client, over);
    var threads = Executors.newCachedThreadPool();
    try {
      for (int i = 0; i < 4; i++) {
        threads.execute(lock::work);
        threads.execute(limiter::work);
      }
      for (int i = 0; i < KILLS; i++) {
        lock.progress();
        limiter.progress();
        group.getOutputStream().write('\n');
        group.getOutputStream().flush();
        assertTrue(answers.readLine() != null, "nobody leads");
      }
      lock.progress();
      limiter.progress();
    } finally {
      over.set(true);
      threads.shutdown();
      assertTrue(threads.awaitTermination(2, TimeUnit.MINUTES));
      client.shutdown();
      group.getOutputStream().close();
      group.waitFor();
    }
    assertEquals(0, lock.violations.get(), "two held the lock");
    assertEquals(0, limiter.tooMany(), "more permits than the rate");
    System.out.printf("%d kills: %d times the lock, %d permits, %d errors%n", KILLS, lock.held.get(), limiter.permits.size(),
        lock.errors.get() + limiter.errors.get());
  }

  /** Repeats something until the end, whatever errors there are: those of a leader that is gone. */
  private abstract static class Work {
    final AtomicBoolean over;
    final AtomicInteger errors = new AtomicInteger();

    Work(AtomicBoolean over) {
      this.over = over;
    }

    abstract void once() throws Exception;

    abstract int done();

    void work() {
      while (!over.get()) {
        try {
          once();
        } catch (Exception e) {
          errors.incrementAndGet();
        }
      }
    }

    /** Waits until it has been done some times more. */
    void progress() throws Exception {
      int enough = done() + 20;
      for (long end = System.currentTimeMillis() + 120_000; done() < enough; Thread.sleep(10)) {
        assertTrue(System.currentTimeMillis() < end, getClass().getSimpleName() + " does not go on");
      }
    }
  }

  /** Threads that take a lock in turns. */
  private static class Locking extends Work {
    final RLock lock;
    final AtomicInteger holders = new AtomicInteger();
    final AtomicInteger held = new AtomicInteger();
    final AtomicInteger violations = new AtomicInteger();

    Locking(RedissonClient client, AtomicBoolean over) {
      super(over);
      lock = client.getLock("lock");
    }

    @Override
    void once() throws Exception {
      long begin = System.nanoTime();
      lock.lock(LEASE.toMillis(), TimeUnit.MILLISECONDS);
      if (System.nanoTime() - begin < LEASE.toNanos() / 2) { // else it may be over soon
        if (holders.incrementAndGet() > 1) {
          violations.incrementAndGet();
        }
        Thread.sleep(2);
        holders.decrementAndGet();
        held.incrementAndGet();
      }
      do { // a command that was repeated has taken it twice
        lock.unlock();
      } while (lock.isHeldByCurrentThread());
    }

    @Override
    int done() {
      return held.get();
    }
  }

  /** Threads that ask for permits. */
  private static class Limiting extends Work {
    final RedissonClient client;
    final ConcurrentLinkedQueue<long[]> permits = new ConcurrentLinkedQueue<>(); // when it was asked for, and received

    Limiting(RedissonClient client, AtomicBoolean over) {
      super(over);
      this.client = client;
      client.getRateLimiter("limiter").trySetRate(RateType.OVERALL, RATE, Duration.ofSeconds(1));
    }

    @Override
    void once() throws Exception {
      long asked = System.currentTimeMillis();
      if (client.getRateLimiter("limiter").tryAcquire()) {
        permits.add(new long[] {asked, System.currentTimeMillis()});
      } else {
        Thread.sleep(5);
      }
    }

    @Override
    int done() {
      return permits.size();
    }

    /** How many permits are beyond the rate for certain: they were asked for and received within less than a second. */
    int tooMany() {
      var list = new ArrayList<>(permits);
      list.sort(Comparator.comparingLong(p -> p[0]));
      int most = 0;
      for (var first : list) {
        long end = first[0] + 990;
        most = Math.max(most, (int) list.stream().filter(p -> p[0] >= first[0] && p[1] <= end).count());
      }
      return Math.max(0, most - RATE);
    }
  }
}
