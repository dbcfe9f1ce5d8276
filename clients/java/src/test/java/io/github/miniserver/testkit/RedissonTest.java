package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.redisson.Redisson;
import org.redisson.api.RateType;
import org.redisson.api.RedissonClient;
import org.redisson.config.Config;

/** Whose clock the objects of Redisson follow, as docs/start/redisson.md says, which shows one of these methods. */
@ExtendWith(MiniserverExtension.class)
class RedissonTest {
  private static final Duration MINUTE = Duration.ofMinutes(1);

  private World world;
  private RedissonClient redisson;

  @BeforeEach
  void connect(World world) {
    this.world = world;
    var config = new Config();
    config.useSingleServer().setAddress(world.url().toString()).setConnectionMinimumIdleSize(1).setSubscriptionConnectionMinimumIdleSize(1);
    redisson = Redisson.create(config);
  }

  @AfterEach
  void disconnect() {
    redisson.shutdown(0, 1, TimeUnit.SECONDS);
  }

  @Test
  void aSessionEndsAfterAMinute() {
    var sessions = redisson.<String, String>getMapCacheNative("sessions");
    sessions.put("17", "alice", MINUTE);
    world.clock().advance(MINUTE);
    assertNull(sessions.get("17"));
  }

  @Test
  void theServersClock() {
    var bucket = redisson.<String>getBucket("bucket");
    bucket.set("v", MINUTE);
    var whole = redisson.<String, String>getMapCache("whole");
    whole.put("k", "v");
    whole.expire(MINUTE);
    var locks = new String[] {"plain", "fair", "read", "watched"};
    redisson.getLock("plain").lock(1, TimeUnit.MINUTES);
    redisson.getFairLock("fair").lock(1, TimeUnit.MINUTES);
    redisson.getReadWriteLock("read").readLock().lock(1, TimeUnit.MINUTES);
    redisson.getLock("watched").lock(); // for half a minute, which Redisson renews each ten seconds
    for (var lock : locks) {
      assertTrue(redisson.getBucket(lock).isExists(), lock);
    }
    world.clock().advance(MINUTE);
    assertNull(bucket.get());
    assertFalse(whole.isExists());
    for (var lock : locks) {
      assertFalse(redisson.getBucket(lock).isExists(), lock);
    }
  }

  @Test
  void theClientsClock() throws Exception {
    var limiter = redisson.getRateLimiter("limiter");
    limiter.trySetRate(RateType.OVERALL, 1, MINUTE);
    assertTrue(limiter.tryAcquire());
    var map = redisson.<String, String>getMapCache("map");
    map.put("k", "v", 1, TimeUnit.MINUTES);
    var idle = redisson.<String, String>getMapCache("idle");
    idle.put("k", "v", 0, TimeUnit.MINUTES, 1, TimeUnit.MINUTES);
    var set = redisson.<String>getSetCache("set");
    set.add("v", 1, TimeUnit.MINUTES);
    var semaphore = redisson.getPermitExpirableSemaphore("semaphore");
    semaphore.trySetPermits(1);
    semaphore.acquire(1, TimeUnit.MINUTES);
    var series = redisson.<String, Object>getTimeSeries("series");
    series.add(1, "v", MINUTE);
    var queue = redisson.<String>getQueue("queue");
    redisson.getDelayedQueue(queue).offer("v", 1, TimeUnit.MINUTES);
    world.clock().advance(Duration.ofHours(1));
    assertFalse(limiter.tryAcquire());
    assertEquals("v", map.get("k"));
    assertEquals("v", idle.get("k"));
    assertTrue(set.contains("v"));
    assertEquals(0, semaphore.availablePermits());
    assertEquals("v", series.get(1));
    assertNull(queue.poll());
  }
}
