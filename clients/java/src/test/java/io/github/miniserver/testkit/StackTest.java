package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static redis.clients.jedis.timeseries.AggregationType.AVG;
import static redis.clients.jedis.timeseries.AggregationType.MAX;
import static redis.clients.jedis.timeseries.AggregationType.SUM;
import static redis.clients.jedis.timeseries.TSRangeParams.rangeParams;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.config.Config;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.bloom.BFInsertParams;
import redis.clients.jedis.bloom.BFReserveParams;
import redis.clients.jedis.bloom.CFInsertParams;
import redis.clients.jedis.bloom.CFReserveParams;
import redis.clients.jedis.bloom.TDigestMergeParams;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.timeseries.DuplicatePolicy;
import redis.clients.jedis.timeseries.TSAlterParams;
import redis.clients.jedis.timeseries.TSCreateParams;
import redis.clients.jedis.timeseries.TSElement;
import redis.clients.jedis.timeseries.TSGetParams;
import redis.clients.jedis.timeseries.TSMGetParams;
import redis.clients.jedis.timeseries.TSMRangeParams;

/**
 * Sketches and time series by Jedis. docs/sketches.md and docs/timeseries.md show the first two methods as they are.
 * Lettuce 6.5 and Redisson 3.45 have no methods for them. Of Redisson's objects only those for JSON and search use
 * modules: what it calls a Bloom filter or a time series it makes of strings, hashes and sorted sets.
 */
@ExtendWith(MiniserverExtension.class)
class StackTest {
  @Test
  void aDayOfRequests(World world) {
    try (var client = new JedisPooled(world.url())) {
      client.bfReserve("visitors", 0.01, 1000);
      client.topkReserve("pages", 2, 50, 5, 0.9);
      client.tdigestCreate("times");
      client.bfMAdd("visitors", "alice", "bob");
      client.topkAdd("pages", "/", "/cart", "/", "/help", "/cart", "/");
      client.tdigestAdd("times", 12, 14, 11, 13, 230);
      for (var key : List.of("visitors", "pages", "times")) {
        client.expire(key, 86_400);
      }

      assertEquals(List.of(true, false), client.bfMExists("visitors", "alice", "carol"));
      assertEquals(Map.of("/", 3L, "/cart", 2L), client.topkListWithCount("pages"));
      assertEquals(List.of(13.0, 230.0), client.tdigestQuantile("times", 0.5, 0.99));

      world.clock().advance(Duration.ofDays(1));
      assertFalse(client.bfExists("visitors", "alice"));
      assertEquals(0, client.exists("pages", "times"));
    }
  }

  @Test
  void aThermometer(World world) {
    try (var client = new JedisPooled(world.url())) {
      client.tsCreate("temp", TSCreateParams.createParams().retention(3_600_000).label("room", "kitchen"));
      client.tsCreate("temp:max", TSCreateParams.createParams().label("room", "kitchen").label("of", "max"));
      client.tsCreateRule("temp", "temp:max", MAX, 60_000);
      world.clock().freeze();
      var noon = world.clock().set(Instant.parse("2030-01-31T12:00:00Z")).toEpochMilli();
      for (var degrees : new double[] {20, 25, 22, 21}) {
        client.tsAdd("temp", degrees);
        world.clock().advance(Duration.ofSeconds(30));
      }

      var means = client.tsRange("temp", rangeParams().aggregation(AVG, 60_000));
      assertEquals(List.of(new TSElement(noon, 22.5), new TSElement(noon + 60_000, 21.5)), means);
      // The second minute is not over for the rule.
      assertEquals(List.of(new TSElement(noon, 25)), client.tsRange("temp:max", rangeParams()));
      assertEquals(List.of("temp"), client.tsQueryIndex("room=kitchen", "of="));

      world.clock().advance(Duration.ofHours(1));
      client.tsAdd("temp", 19);
      assertEquals(1, client.tsRange("temp", rangeParams()).size()); // what is older than an hour is gone
    }
  }

  private static void fails(String message, Executable call) {
    assertEquals(message, assertThrows(JedisDataException.class, call).getMessage());
  }

  @ParameterizedTest
  @EnumSource
  void bloomFilters(RedisProtocol protocol, World world) {
    try (var client = JsonTest.jedis(world, protocol)) {
      assertEquals("OK", client.bfReserve("seen", 0.01, 100, BFReserveParams.reserveParams().expansion(4)));
      assertTrue(client.bfAdd("seen", "a"));
      assertEquals(List.of(false, true), client.bfMAdd("seen", "a", "b"));
      var small = BFInsertParams.insertParams().capacity(10).error(0.1).nonScaling();
      assertEquals(List.of(true), client.bfInsert("small", small, "a"));
      assertTrue(client.bfExists("seen", "b"));
      assertEquals(List.of(true, false), client.bfMExists("seen", "a", "z"));
      assertEquals(2, client.bfCard("seen"));
      assertEquals(Map.of("Capacity", 100L, "Size", 240L, "Number of filters", 1L, "Number of items inserted", 2L, "Expansion rate", 4L),
          client.bfInfo("seen"));
      fails("ERR item exists", () -> client.bfReserve("seen", 0.01, 100));
      var chunk = client.bfScanDump("seen", 0);
      for (; chunk.getKey() != 0; chunk = client.bfScanDump("seen", chunk.getKey())) {
        assertEquals("OK", client.bfLoadChunk("copy", chunk.getKey(), chunk.getValue()));
      }
      assertEquals(List.of(true, true, false), client.bfMExists("copy", "a", "b", "z"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void cuckooFilters(RedisProtocol protocol, World world) {
    try (var client = JsonTest.jedis(world, protocol)) {
      var properties = CFReserveParams.reserveParams().bucketSize(4).expansion(2).maxIterations(50);
      assertEquals("OK", client.cfReserve("seen", 64, properties));
      assertTrue(client.cfAdd("seen", "a"));
      assertFalse(client.cfAddNx("seen", "a"));
      assertEquals(List.of(true, true), client.cfInsert("seen", CFInsertParams.insertParams().capacity(64), "a", "b"));
      assertEquals(List.of(false, true), client.cfInsertNx("seen", CFInsertParams.insertParams().noCreate(), "a", "c"));
      assertTrue(client.cfExists("seen", "a"));
      assertEquals(List.of(true, false), client.cfMExists("seen", "a", "z"));
      assertEquals(2, client.cfCount("seen", "a"));
      assertTrue(client.cfDel("seen", "a"));
      assertFalse(client.cfDel("seen", "z"));
      var info = client.cfInfo("seen");
      assertEquals(List.of(120L, 16L, 3L, 1L), List.of(info.get("Size"), info.get("Number of buckets"),
          info.get("Number of items inserted"), info.get("Number of items deleted")));
      fails("ERR not found", () -> client.cfInsert("none", CFInsertParams.insertParams().noCreate(), "a"));
      var chunk = client.cfScanDump("seen", 0);
      for (; chunk.getKey() != 0; chunk = client.cfScanDump("seen", chunk.getKey())) {
        assertEquals("OK", client.cfLoadChunk("copy", chunk.getKey(), chunk.getValue()));
      }
      assertEquals(List.of(true, true, false), client.cfMExists("copy", "a", "b", "z"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void countMinSketches(RedisProtocol protocol, World world) {
    try (var client = JsonTest.jedis(world, protocol)) {
      assertEquals("OK", client.cmsInitByDim("hits", 100, 5));
      assertEquals("OK", client.cmsInitByProb("more", 0.01, 0.01));
      assertEquals(1, client.cmsIncrBy("hits", "a", 1));
      assertEquals(List.of(2L), client.cmsIncrBy("hits", Map.of("b", 2L)));
      assertEquals(List.of(1L, 2L, 0L), client.cmsQuery("hits", "a", "b", "z"));
      assertEquals(Map.of("width", 100L, "depth", 5L, "count", 3L), client.cmsInfo("hits"));
      client.cmsInitByDim("sum", 100, 5);
      assertEquals("OK", client.cmsMerge("sum", Map.of("hits", 3L, "sum", 1L)));
      assertEquals(List.of(6L), client.cmsQuery("sum", "b"));
      fails("CMS: key does not exist", () -> client.cmsQuery("none", "b"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void topK(RedisProtocol protocol, World world) {
    try (var client = JsonTest.jedis(world, protocol)) {
      assertEquals("OK", client.topkReserve("pages", 2, 50, 5, 0.9));
      assertEquals(Arrays.asList(null, null, null, "a", null, null), client.topkAdd("pages", "a", "b", "b", "c", "c", "c"));
      assertEquals("b", client.topkIncrBy("pages", "d", 9));
      assertEquals(List.of(false, true), client.topkQuery("pages", "a", "c"));
      assertEquals(List.of("d", "c"), client.topkList("pages"));
      assertEquals(Map.of("d", 9L, "c", 3L), client.topkListWithCount("pages"));
      var info = client.topkInfo("pages");
      assertEquals(List.of(2L, 50L, 5L), List.of(info.get("k"), info.get("width"), info.get("depth")));
      assertEquals("0.9", info.get("decay").toString());
      fails("TopK: key does not exist", () -> client.topkList("none"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void tDigests(RedisProtocol protocol, World world) {
    try (var client = JsonTest.jedis(world, protocol)) {
      assertEquals("OK", client.tdigestCreate("times", 100));
      assertEquals(Double.NaN, client.tdigestMin("times"));
      assertEquals("OK", client.tdigestAdd("times", 1, 2, 3, 4, 5.5));
      assertEquals(1, client.tdigestMin("times"));
      assertEquals(5.5, client.tdigestMax("times"));
      assertEquals(List.of(3.0, 5.5), client.tdigestQuantile("times", 0.5, 0.9));
      assertEquals(List.of(0.5, 1.0), client.tdigestCDF("times", 3, 9));
      assertEquals(List.of(2L, 5L, -1L), client.tdigestRank("times", 3, 9, 0));
      assertEquals(List.of(2L), client.tdigestRevRank("times", 3));
      assertEquals(List.of(1.0, Double.POSITIVE_INFINITY), client.tdigestByRank("times", 0, 9));
      assertEquals(List.of(5.5, Double.NEGATIVE_INFINITY), client.tdigestByRevRank("times", 0, 9));
      assertEquals(3.1, client.tdigestTrimmedMean("times", 0.1, 0.9));
      assertEquals("OK", client.tdigestMerge(TDigestMergeParams.mergeParams().compression(50).override(), "all", "times"));
      var info = client.tdigestInfo("all");
      assertEquals(List.of(50L, 310L, 5L), List.of(info.get("Compression"), info.get("Capacity"), info.get("Observations")));
      assertEquals("OK", client.tdigestReset("times"));
      assertEquals(Double.NaN, client.tdigestMax("times"));
      fails("ERR T-Digest: key does not exist", () -> client.tdigestMax("none"));
    }
  }

  /** Makes two series with samples, and a rule that takes the highest of each second of the first. */
  private static UnifiedJedis withSeries(World world, RedisProtocol protocol) {
    var client = JsonTest.jedis(world, protocol);
    var kitchen = TSCreateParams.createParams().retention(10_000).duplicatePolicy(DuplicatePolicy.LAST);
    assertEquals("OK", client.tsCreate("kitchen", kitchen.labels(Map.of("room", "kitchen", "of", "°C"))));
    var study = TSCreateParams.createParams().uncompressed().chunkSize(128);
    assertEquals("OK", client.tsCreate("study", study.labels(Map.of("room", "study", "of", "°C"))));
    assertEquals("OK", client.tsCreate("max"));
    assertEquals("OK", client.tsCreateRule("kitchen", "max", MAX, 1000));
    assertEquals(1000, client.tsAdd("kitchen", 1000, 20.5));
    assertEquals(1000, client.tsAdd("kitchen", 1000, 41.5));
    assertEquals(List.of(1500L, 2000L, 1000L), client.tsMAdd(Map.entry("kitchen", new TSElement(1500, 22)),
        Map.entry("kitchen", new TSElement(2000, 23)), Map.entry("study", new TSElement(1000, 5))));
    return client;
  }

  @ParameterizedTest
  @EnumSource
  void samples(RedisProtocol protocol, World world) {
    try (var client = withSeries(world, protocol)) {
      assertEquals(new TSElement(2000, 23), client.tsGet("kitchen"));
      assertEquals(new TSElement(1000, 41.5), client.tsGet("max"));
      assertEquals(new TSElement(2000, 23), client.tsGet("max", TSGetParams.getParams().latest()));
      var all = List.of(new TSElement(1000, 41.5), new TSElement(1500, 22), new TSElement(2000, 23));
      assertEquals(all, client.tsRange("kitchen", 0, 5000));
      assertEquals(all.subList(2, 3), client.tsRevRange("kitchen", rangeParams().count(1)));
      assertEquals(all.subList(1, 2), client.tsRange("kitchen", rangeParams(0, 5000).filterByTS(1500).filterByValues(1, 99)));
      var means = rangeParams().alignStart().aggregation(AVG, 1000).bucketTimestampHigh().empty();
      assertEquals(List.of(new TSElement(2000, 31.75), new TSElement(3000, 23)), client.tsRange("kitchen", means.fromTimestamp(0)));
      assertEquals(10, client.tsIncrBy("count", 3, 10));
      assertEquals(10, client.tsDecrBy("count", 1, 10));
      assertEquals(new TSElement(10, 2), client.tsGet("count"));
      assertEquals(1, client.tsDel("count", 10, 10));
      assertNull(client.tsGet("count"));
      fails("ERR TSDB: key already exists", () -> client.tsCreate("kitchen"));
      fails("ERR TSDB: the key does not exist", () -> client.tsGet("none"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void labels(RedisProtocol protocol, World world) {
    try (var client = withSeries(world, protocol)) {
      assertEquals(List.of("kitchen"), client.tsQueryIndex("of=°C", "room!=study"));
      var last = client.tsMGet(TSMGetParams.multiGetParams().selectedLabels("room"), "of=°C").get("study");
      assertEquals(Map.of("room", "study"), last.getLabels());
      assertEquals(new TSElement(1000, 5), last.getElement());
      var first = client.tsMRange(TSMRangeParams.multiRangeParams().withLabels().count(1).filter("of=°C"));
      assertEquals(Map.of("room", "kitchen", "of", "°C"), first.get("kitchen").getLabels());
      assertEquals(List.of(new TSElement(1000, 41.5)), first.get("kitchen").getElements());
      var sums = client.tsMRevRange(TSMRangeParams.multiRangeParams().aggregation(SUM, 1000).filter("of=°C").groupBy("of", "min"));
      assertEquals(List.of(new TSElement(2000, 23), new TSElement(1000, 5)), sums.get("of=°C").getElements());
      if (protocol == RedisProtocol.RESP3) {
        assertEquals(List.of("kitchen", "study"), sums.get("of=°C").getSources());
      }
      assertEquals("OK", client.tsAlter("study", TSAlterParams.alterParams().label("room", "attic")));
      assertEquals(Map.of("room", "attic"), client.tsInfo("study").getLabels());
      assertEquals(128L, client.tsInfo("study").getIntegerProperty("chunkSize"));
      assertEquals(MAX, client.tsInfo("kitchen").getRule("max").getAggregator());
      assertEquals("OK", client.tsDeleteRule("kitchen", "max"));
      fails("ERR TSDB: compaction rule does not exist", () -> client.tsDeleteRule("kitchen", "max"));
      try (var pipeline = client.pipelined()) {
        var added = pipeline.tsAdd("temp", 1, 2.5);
        var failed = pipeline.tdigestMax("none");
        var got = pipeline.tsGet("temp");
        pipeline.sync();
        assertEquals(1, added.get());
        assertThrows(JedisDataException.class, failed::get);
        assertEquals(new TSElement(1, 2.5), got.get());
      }
    }
  }

  @Test
  void redissonUsesNoModules(World world) {
    var config = new Config();
    config.useSingleServer().setAddress(world.url().toString()).setConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionMinimumIdleSize(1);
    var redisson = Redisson.create(config);
    try (var client = new JedisPooled(world.url())) {
      var filter = redisson.<String>getBloomFilter("seen");
      assertTrue(filter.tryInit(100, 0.01));
      assertTrue(filter.add("a"));
      assertTrue(filter.contains("a"));
      assertFalse(filter.contains("z"));
      assertEquals("string", client.type("seen"));
      var series = redisson.<Double, Object>getTimeSeries("temp");
      series.add(1000, 20.5);
      series.add(2000, 21.0);
      assertEquals(List.of(20.5, 21.0), List.copyOf(series.range(0, 5000)));
      assertEquals("zset", client.type("temp"));
    } finally {
      redisson.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }
}
