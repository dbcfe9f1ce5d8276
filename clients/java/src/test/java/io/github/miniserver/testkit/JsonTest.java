package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.json.JsonPath;
import io.lettuce.core.json.JsonType;
import io.lettuce.core.json.JsonValue;
import io.lettuce.core.json.arguments.JsonMsetArgs;
import io.lettuce.core.json.arguments.JsonRangeArgs;
import io.lettuce.core.json.arguments.JsonSetArgs;
import io.lettuce.core.protocol.ProtocolVersion;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.json.JSONArray;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.redisson.Redisson;
import org.redisson.client.RedisException;
import org.redisson.codec.JacksonCodec;
import org.redisson.config.Config;
import org.redisson.config.Protocol;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.json.JsonSetParams;
import redis.clients.jedis.json.Path;
import redis.clients.jedis.json.Path2;

/** JSON by Jedis, Lettuce and Redisson. docs/json.md shows the first of the methods as it is. */
@ExtendWith(MiniserverExtension.class)
class JsonTest {
  private static final String SHOES = """
      {"name":"shoes","price":80.5,"stock":3,"sold":false,"sizes":[40,41,42],"maker":{"name":"Ada","since":null}}""";

  @Test
  void aCart(World world) {
    try (var client = new JedisPooled(world.url())) {
      var shoes = Map.of("name", "shoes", "count", 1, "price", 80);
      client.jsonSet("cart:7", new JSONObject(Map.of("user", "alice", "items", List.of(shoes))));
      client.expire("cart:7", 3600);

      var hat = new JSONObject(Map.of("name", "hat", "count", 2, "price", 12.5));
      client.jsonArrAppend("cart:7", Path2.of("$.items"), hat);
      client.jsonNumIncrBy("cart:7", Path2.of("$.items[?(@.name==\"shoes\")].count"), 1);
      var changes = new JSONObject().put("coupon", "SPRING").put("user", JSONObject.NULL); // takes the member away
      client.jsonMerge("cart:7", Path2.ROOT_PATH, changes);
      var cheap = (JSONArray) client.jsonGet("cart:7", Path2.of("$.items[?(@.price<50)].name"));
      assertEquals(List.of("hat"), cheap.toList());
      assertEquals(2.0, client.jsonGet("cart:7", Path.of(".items[0].count")));
      assertFalse(client.jsonObjKeys("cart:7").contains("user"));

      world.clock().advance(Duration.ofHours(1));
      assertNull(client.jsonGet("cart:7", Path2.ROOT_PATH));
    }
  }

  static UnifiedJedis jedis(World world, RedisProtocol protocol) {
    var config = DefaultJedisClientConfig.builder().user("world").password(world.name()).protocol(protocol).build();
    return new UnifiedJedis(new HostAndPort(world.url().getHost(), world.url().getPort()), config);
  }

  @ParameterizedTest
  @EnumSource
  void jedis(RedisProtocol protocol, World world) {
    try (var client = jedis(world, protocol)) {
      Path2 sizes = Path2.of("$.sizes"), names = Path2.of("$..name");
      assertEquals("OK", client.jsonSet("shoes", Path2.ROOT_PATH, SHOES));
      assertNull(client.jsonSet("shoes", Path2.ROOT_PATH, "1", JsonSetParams.jsonSetParams().nx()));
      assertNull(client.jsonSet("none", Path2.ROOT_PATH, "1", JsonSetParams.jsonSetParams().xx()));
      assertEquals(SHOES, client.jsonGetAsPlainString("shoes", Path.ROOT_PATH));
      assertEquals("[\"shoes\",\"Ada\"]", client.jsonGet("shoes", names).toString());
      assertEquals(80.5, client.jsonGet("shoes", Path.of(".price")));
      assertNull(client.jsonGet("none", Path2.ROOT_PATH));
      client.jsonSet("hat", Path2.ROOT_PATH, "{\"stock\":5}");
      var several = client.jsonMGet(Path2.of("$.stock"), "shoes", "none", "hat");
      assertEquals(Arrays.asList("[3]", null, "[5]"), several.stream().map(a -> a == null ? null : a + "").toList());
      assertEquals("OK", client.jsonMerge("hat", Path2.ROOT_PATH, "{\"name\":\"fez\",\"stock\":null}"));
      assertEquals("{\"name\":\"fez\"}", client.jsonGetAsPlainString("hat", Path.ROOT_PATH));
      // In RESP3 Jedis makes a double of each number.
      var five = protocol == RedisProtocol.RESP3 ? "[5.0]" : "[5]";
      assertEquals(five, client.jsonNumIncrBy("shoes", Path2.of("$.stock"), 2).toString());
      assertEquals(List.of(4L), client.jsonArrAppend("shoes", sizes, 43));
      assertEquals(List.of(2L), client.jsonArrIndex("shoes", sizes, 42));
      assertEquals(List.of(5L), client.jsonArrInsert("shoes", sizes, 0, 39));
      assertEquals(List.of(5L), client.jsonArrLen("shoes", sizes));
      assertEquals(List.of(43.0), client.jsonArrPop("shoes", sizes));
      assertEquals(List.of(2L), client.jsonArrTrim("shoes", sizes, 1, 2));
      assertEquals(List.of(String.class), client.jsonType("shoes", Path2.of("$.name")));
      assertEquals(List.of(List.of("name", "since")), client.jsonObjKeys("shoes", Path2.of("$.maker")));
      assertEquals(List.of(2L), client.jsonObjLen("shoes", Path2.of("$.maker")));
      assertEquals(List.of(10L), client.jsonStrAppend("shoes", Path2.of("$.name"), ", red"));
      assertEquals(List.of(10L, 3L), client.jsonStrLen("shoes", names));
      assertEquals(List.of(true), client.jsonToggle("shoes", Path2.of("$.sold")));
      assertEquals(1, client.jsonClear("shoes", sizes));
      assertEquals(2, client.jsonDel("shoes", names));
      assertEquals("ReJSON-RL", client.type("shoes"));
      assertEquals(1, client.jsonDel("shoes"));
      assertFalse(client.exists("shoes"));
    }
  }

  @ParameterizedTest
  @EnumSource
  void errorsAndPipelinesOfJedis(RedisProtocol protocol, World world) {
    try (var client = jedis(world, protocol)) {
      client.jsonSet("shoes", Path2.ROOT_PATH, SHOES);
      client.set("text", "x");
      var absent = assertThrows(JedisDataException.class, () -> client.jsonGet("shoes", Path.of(".none")));
      assertEquals("ERR Path '$.none' does not exist", absent.getMessage());
      var wrong = assertThrows(JedisDataException.class, () -> client.jsonGet("text"));
      assertEquals("Existing key has wrong Redis type", wrong.getMessage());
      var text = assertThrows(JedisDataException.class, () -> client.jsonSet("shoes", Path2.ROOT_PATH, "{"));
      assertEquals("EOF while parsing an object at line 1 column 1", text.getMessage());
      assertEquals(SHOES, client.jsonGetAsPlainString("shoes", Path.ROOT_PATH));
      try (var pipeline = client.pipelined()) {
        var set = pipeline.jsonSet("k", Path2.ROOT_PATH, "{\"a\":[1]}");
        var appended = pipeline.jsonArrAppend("k", Path2.of("$.a"), 2);
        var failed = pipeline.jsonArrLen("none", Path2.ROOT_PATH);
        var deleted = pipeline.jsonDel("k");
        pipeline.sync();
        assertEquals("OK", set.get());
        assertEquals(List.of(2L), appended.get());
        assertThrows(JedisDataException.class, failed::get);
        assertEquals(1, deleted.get());
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void lettuce(ProtocolVersion protocol, World world) {
    try (var redis = RedisClient.create(RedisURI.create(world.url()))) {
      redis.setOptions(ClientOptions.builder().protocolVersion(protocol).build());
      lettuce(redis.connect().sync());
    }
  }

  private static void lettuce(RedisCommands<String, String> client) {
    JsonPath root = JsonPath.ROOT_PATH, sizes = JsonPath.of("$.sizes"), names = JsonPath.of("$..name");
    var json = client.getJsonParser();
    assertEquals("OK", client.jsonSet("shoes", root, json.createJsonValue(SHOES)));
    assertNull(client.jsonSet("shoes", root, json.createJsonValue("1"), JsonSetArgs.Builder.nx()));
    assertEquals("[" + SHOES + "]", client.jsonGet("shoes", root).get(0).toString());
    assertEquals("[\"shoes\",\"Ada\"]", client.jsonGet("shoes", names).get(0).toString());
    assertEquals(80.5, client.jsonGet("shoes", JsonPath.of(".price")).get(0).asNumber());
    client.jsonMSet(List.of(new JsonMsetArgs<>("hat", root, json.createJsonValue("{\"stock\":5}"))));
    assertEquals(List.of("[3]", "[5]"), texts(client.jsonMGet(JsonPath.of("$.stock"), "shoes", "hat")));
    assertEquals("OK", client.jsonMerge("hat", root, json.createJsonValue("{\"name\":\"fez\",\"stock\":null}")));
    assertEquals("{\"name\":\"fez\"}", client.jsonGet("hat", JsonPath.ROOT_PATH_LEGACY).get(0).toString());
    // With $.stock the reply in RESP2 is a text, [5], which Lettuce 6.5 does not read.
    assertEquals(5, client.jsonNumincrby("shoes", JsonPath.of(".stock"), 2).get(0).intValue());
    assertEquals(List.of(4L), client.jsonArrappend("shoes", sizes, json.createJsonValue("43")));
    assertEquals(List.of(2L), client.jsonArrindex("shoes", sizes, json.createJsonValue("42")));
    assertEquals(List.of(5L), client.jsonArrinsert("shoes", sizes, 0, json.createJsonValue("39")));
    assertEquals(List.of(5L), client.jsonArrlen("shoes", sizes));
    assertEquals(List.of("43"), texts(client.jsonArrpop("shoes", sizes)));
    assertEquals(List.of(2L), client.jsonArrtrim("shoes", sizes, JsonRangeArgs.Builder.start(1).stop(2)));
    assertEquals(List.of(JsonType.STRING), client.jsonType("shoes", JsonPath.of("$.name")));
    assertEquals(List.of(2L), client.jsonObjlen("shoes", JsonPath.of("$.maker")));
    assertEquals(List.of(10L), client.jsonStrappend("shoes", JsonPath.of("$.name"), json.createJsonValue("\", red\"")));
    assertEquals(List.of(10L, 3L), client.jsonStrlen("shoes", names));
    assertEquals(List.of(1L), client.jsonToggle("shoes", JsonPath.of("$.sold")));
    var none = JsonPath.of(".none");
    var absent = assertThrows(RedisCommandExecutionException.class, () -> client.jsonGet("shoes", none));
    assertEquals("ERR Path '$.none' does not exist", absent.getMessage());
    assertEquals(1, client.jsonClear("shoes", sizes));
    assertEquals(2, client.jsonDel("shoes", names));
    assertEquals(1, client.jsonDel("shoes", root));
    assertEquals(0, client.exists("shoes"));
  }

  private static List<String> texts(List<JsonValue> values) {
    return values.stream().map(Object::toString).toList();
  }

  /** What a shop sells. */
  static class Goods {
    public String name;
    public int stock;
    public List<Integer> sizes;
  }

  /** Its methods for one value take paths of the legacy language, and those for many a JSONPath. */
  @ParameterizedTest
  @EnumSource
  void redisson(Protocol protocol, World world) {
    var config = new Config().setProtocol(protocol);
    config.useSingleServer().setAddress(world.url().toString()).setConnectionMinimumIdleSize(1)
        .setSubscriptionConnectionMinimumIdleSize(1);
    var redisson = Redisson.create(config);
    try {
      var bucket = redisson.<Goods>getJsonBucket("shoes", new JacksonCodec<>(Goods.class));
      assertNull(bucket.get());
      var goods = new Goods();
      goods.name = "shoes";
      goods.stock = 3;
      goods.sizes = List.of(40, 41, 42);
      assertTrue(bucket.setIfAbsent(goods));
      assertFalse(bucket.setIfAbsent(goods));
      assertEquals(List.of(40, 41, 42), bucket.get().sizes);
      assertEquals(List.of("shoes"), bucket.get(new JacksonCodec<>(List.class), "$.name"));
      assertEquals("shoes", bucket.get(new JacksonCodec<>(String.class), "name"));
      assertEquals(5, bucket.incrementAndGet("stock", 2));
      assertEquals(4, bucket.arrayAppend("sizes", 43));
      assertEquals(2, bucket.arrayIndex("sizes", 42));
      assertEquals(40, (Integer) bucket.arrayPollFirst(new JacksonCodec<>(Integer.class), "sizes"));
      assertEquals(3, bucket.arraySize("sizes"));
      assertEquals(List.of(3L), bucket.arraySizeMulti("$.sizes"));
      assertEquals(3, bucket.countKeys());
      assertEquals(org.redisson.api.JsonType.OBJECT, bucket.getType());
      assertTrue(bucket.compareAndSet("$.name", "shoes", "boots"));
      assertEquals(8, bucket.stringAppend("name", "-20"));
      bucket.merge("$", Map.of("stock", 8));
      assertEquals(8, bucket.get().stock);
      assertThrows(RedisException.class, () -> bucket.get(new JacksonCodec<>(String.class), "none"));
      assertEquals(1, bucket.delete("$.sizes"));
      bucket.expire(Duration.ofMinutes(1));
      world.clock().advance(Duration.ofMinutes(1));
      assertFalse(bucket.isExists());
    } finally {
      redisson.shutdown(0, 1, TimeUnit.SECONDS);
    }
  }
}
