package io.github.miniserver.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static redis.clients.jedis.search.FTSearchParams.searchParams;

import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.json.JSONObject;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.args.GeoUnit;
import redis.clients.jedis.args.SortingOrder;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.search.Document;
import redis.clients.jedis.search.FTCreateParams;
import redis.clients.jedis.search.FTProfileParams;
import redis.clients.jedis.search.FTSearchParams;
import redis.clients.jedis.search.IndexDataType;
import redis.clients.jedis.search.aggr.AggregationBuilder;
import redis.clients.jedis.search.aggr.Reducers;
import redis.clients.jedis.search.schemafields.GeoField;
import redis.clients.jedis.search.schemafields.GeoShapeField;
import redis.clients.jedis.search.schemafields.NumericField;
import redis.clients.jedis.search.schemafields.TagField;
import redis.clients.jedis.search.schemafields.TextField;
import redis.clients.jedis.search.schemafields.VectorField;

/**
 * Search by Jedis. docs/search.md shows the first method as it is. The others run on miniserver, and also on the server of
 * Redis Stack whose URL is in STACK_URL: there they empty it.
 */
@ExtendWith(MiniserverExtension.class)
class SearchTest {
  @Test
  void books(World world) {
    try (var client = new JedisPooled(world.url())) {
      client.ftCreate("books", FTCreateParams.createParams().prefix("book:"),
          TextField.of("title").weight(2), TagField.of("genre"), NumericField.of("year").sortable());
      client.hset("book:1", Map.of("title", "The Time Machine", "genre", "novel,science fiction", "year", "1895"));
      client.hset("book:2", Map.of("title", "Travels with a Donkey", "genre", "travel", "year", "1879"));

      var found = client.ftSearch("books", "@genre:{science fiction} @year:[1890 1900]");
      assertEquals(1, found.getTotalResults());
      assertEquals("The Time Machine", found.getDocuments().get(0).getString("title"));
      var newest = client.ftSearch("books", "*", FTSearchParams.searchParams().sortBy("year", SortingOrder.DESC));
      assertEquals("book:1", newest.getDocuments().get(0).getId());
    }
  }

  private static final String SERVERS = """
      MINISERVER, RESP2, HASH
      MINISERVER, RESP2, JSON
      MINISERVER, RESP3, HASH
      MINISERVER, RESP3, JSON
      STACK, RESP2, HASH
      STACK, RESP2, JSON
      STACK, RESP3, HASH
      STACK, RESP3, JSON
      """;

  enum Kind { MINISERVER, STACK }

  private static UnifiedJedis connect(Kind kind, RedisProtocol protocol, World world) {
    if (kind == Kind.MINISERVER) {
      return JsonTest.jedis(world, protocol);
    }
    var url = System.getenv().getOrDefault("STACK_URL", "");
    assumeTrue(!url.isEmpty(), "STACK_URL names no Redis Stack");
    var client = new UnifiedJedis(HostAndPort.from(URI.create(url).getAuthority()),
        DefaultJedisClientConfig.builder().protocol(protocol).build());
    client.flushAll();
    return client;
  }

  /** Makes an index of bikes, whose fields have the same names in hashes and in JSON. */
  private static UnifiedJedis bikes(Kind kind, RedisProtocol protocol, IndexDataType type, World world) {
    var client = connect(kind, protocol, world);
    var path = type == IndexDataType.JSON ? "$." : "";
    assertEquals("OK", client.ftCreate("bikes", FTCreateParams.createParams().on(type).prefix("bike:"),
        TextField.of(path + "brand").as("brand").noStem(), TextField.of(path + "about").as("about").weight(2),
        NumericField.of(path + "price").as("price").sortable(), TagField.of(path + "state").as("state").separator(','),
        GeoField.of(path + "at").as("at"),
        GeoShapeField.of(path + "area", GeoShapeField.CoordinateSystem.FLAT).as("area")));
    put(client, type, "bike:1", Map.of("brand", "Velorim", "about", "The tiniest kids bike", "price", 270,
        "state", "new", "at", "-74.0,40.7", "area", "POINT (1 1)"));
    put(client, type, "bike:2", Map.of("brand", "Bicyk", "about", "Kids ride with little weight", "price", 1200,
        "state", "used", "at", "-73.9,40.8", "area", "POINT (2 2)"));
    put(client, type, "bike:3", Map.of("brand", "Nord", "about", "A mountain bike for forests", "price", 815,
        "state", "used", "at", "-0.1,51.5", "area", "POINT (5 5)"));
    return client;
  }

  private static void put(UnifiedJedis client, IndexDataType type, String key, Map<String, Object> fields) {
    if (type == IndexDataType.JSON) {
      client.jsonSet(key, new JSONObject(fields));
    } else {
      fields.forEach((name, value) -> client.hset(key, name, value.toString()));
    }
  }

  private static List<String> ids(UnifiedJedis client, String query, FTSearchParams params) {
    var found = client.ftSearch("bikes", query, params.sortBy("price", SortingOrder.ASC).dialect(3));
    return found.getDocuments().stream().map(Document::getId).toList();
  }

  @ParameterizedTest
  @CsvSource(textBlock = SERVERS)
  void queries(Kind kind, RedisProtocol protocol, IndexDataType type, World world) {
    try (var client = bikes(kind, protocol, type, world)) {
      var expected = Map.of("*", "132", "kids", "12", "@brand:nord", "3", "@about:(kids -tiniest)", "2", "mountain | little", "32",
          "%moutain%", "3", "\"mountain bike\"", "3", "@price:[815 (1200]", "3", "@state:{used | none}", "32",
          "@at:[-74 40.7 30 km]", "12");
      for (var query : new TreeMap<>(expected).entrySet()) {
        var names = ids(client, query.getKey(), searchParams().noContent());
        assertEquals(query.getValue(), String.join("", names).replace("bike:", ""), query.getKey());
      }
      var square = searchParams().addParam("square", "POLYGON ((0 0, 0 3, 3 3, 3 0, 0 0))");
      assertEquals(List.of("bike:1", "bike:2"), ids(client, "@area:[WITHIN $square]", square));
      assertEquals(List.of("bike:3"), ids(client, "*", searchParams().filter("price", 300, 900)));
      assertEquals(List.of("bike:3"), ids(client, "*", searchParams().geoFilter("at", 0, 51, 100, GeoUnit.KM)));
      assertEquals(List.of(), ids(client, "nord", searchParams().inFields("about")));

      var page = client.ftSearch("bikes", "*",
          searchParams().sortBy("price", SortingOrder.DESC).limit(1, 1).returnFields("brand", "price"));
      assertEquals(3, page.getTotalResults());
      assertEquals(List.of("Nord", "815"), List.of(page.getDocuments().get(0).get("brand"), page.getDocuments().get(0).get("price")));
      var marked = searchParams().returnFields("about").highlight(FTSearchParams.highlightParams().fields("about").tags("[", "]"));
      assertEquals("A mountain bike for [forests]", client.ftSearch("bikes", "forests", marked).getDocuments().get(0).get("about"));
      var syntax = assertThrows(JedisDataException.class, () -> client.ftSearch("bikes", "("));
      assertTrue(syntax.getMessage().startsWith("Syntax error at offset"), syntax.getMessage());
      var absent = assertThrows(JedisDataException.class, () -> client.ftSearch("none", "x"));
      assertEquals("none: no such index", absent.getMessage());
    }
  }

  @ParameterizedTest
  @CsvSource(textBlock = SERVERS)
  void aggregations(Kind kind, RedisProtocol protocol, IndexDataType type, World world) {
    try (var client = bikes(kind, protocol, type, world)) {
      var groups = client.ftAggregate("bikes", new AggregationBuilder("*")
          .groupBy("@state", Reducers.count().as("n"), Reducers.avg("@price").as("mean")).apply("@mean / @n", "x").sortByDesc("@mean"));
      assertEquals(List.of(Map.of("state", "used", "n", "2", "mean", "1007.5", "x", "503.75"),
          Map.of("state", "new", "n", "1", "mean", "270", "x", "270")), groups.getResults());
      var prices = new ArrayList<List<Object>>();
      var page = client.ftAggregate("bikes", new AggregationBuilder("*").load("@price").sortByAsc("@price").cursor(2, 10_000));
      prices.add(page.getResults().stream().map(row -> row.get("price")).toList());
      while (page.getCursorId() != 0) {
        page = client.ftCursorRead("bikes", page.getCursorId(), 2);
        prices.add(page.getResults().stream().map(row -> row.get("price")).toList());
      }
      assertEquals(List.of(List.of("270", "815"), List.of("1200")), prices);
      page = client.ftAggregate("bikes", new AggregationBuilder("*").cursor(1));
      assertEquals("OK", client.ftCursorDel("bikes", page.getCursorId()));
    }
  }

  @ParameterizedTest
  @CsvSource(textBlock = SERVERS)
  void theIndex(Kind kind, RedisProtocol protocol, IndexDataType type, World world) {
    try (var client = bikes(kind, protocol, type, world)) {
      assertEquals(Set.of("bikes"), client.ftList());
      var info = client.ftInfo("bikes");
      assertEquals(List.of("bikes", "3"), List.of(info.get("index_name"), info.get("num_docs").toString()));
      assertEquals("OK", client.ftAlter("bikes", NumericField.of("wheels")));
      assertEquals("OK", client.ftAliasAdd("cycles", "bikes"));
      assertEquals(2, client.ftSearch("cycles", "kids").getTotalResults());
      assertEquals(Set.of("new", "used"), client.ftTagVals("bikes", "state"));
      assertEquals(Set.of("mountain"), client.ftSpellCheck("bikes", "mountin").get("mountin").keySet());
      assertEquals(2, client.ftDictAdd("words", "gravel", "tandem"));
      assertEquals(Set.of("gravel", "tandem"), client.ftDictDump("words"));
      assertEquals("OK", client.ftSynUpdate("bikes", "small", "kids", "children"));
      assertEquals(Map.of("kids", List.of("small"), "children", List.of("small")), client.ftSynDump("bikes"));
      var profile = client.ftProfileSearch("bikes", FTProfileParams.profileParams(), "mountain", searchParams());
      assertEquals(1, profile.getKey().getTotalResults());
      assertTrue(profile.getValue().containsKey("Iterators profile"));
      assertEquals("OK", client.ftDropIndexDD("bikes"));
      assertEquals(Set.of(), client.keys("bike:*"));
    }
  }

  @ParameterizedTest
  @CsvSource(textBlock = SERVERS)
  void vectors(Kind kind, RedisProtocol protocol, IndexDataType type, World world) {
    try (var client = connect(kind, protocol, world)) {
      var path = type == IndexDataType.JSON ? "$.at" : "at";
      var at = VectorField.builder().fieldName(path).as("at").algorithm(VectorField.VectorAlgorithm.HNSW)
          .addAttribute("TYPE", "FLOAT32").addAttribute("DIM", 2).addAttribute("DISTANCE_METRIC", "L2").build();
      client.ftCreate("places", FTCreateParams.createParams().on(type).prefix("place:"), at);
      for (int x : List.of(1, 2, 5)) {
        if (type == IndexDataType.JSON) {
          client.jsonSet("place:" + x, new JSONObject(Map.of("at", List.of(x, 0))));
        } else {
          client.hset(("place:" + x).getBytes(), Map.of("at".getBytes(), blob(x, 0)));
        }
      }
      var near = client.ftSearch("places", "*=>[KNN 2 @at $here AS d]",
          searchParams().addParam("here", blob(2, 0)).sortBy("d", SortingOrder.ASC).returnFields("d").dialect(2));
      assertEquals(List.of("place:2 0", "place:1 1"),
          near.getDocuments().stream().map(place -> place.getId() + " " + place.get("d")).toList());
    }
  }

  /** Returns the bytes of a vector. */
  private static byte[] blob(float... components) {
    var bytes = ByteBuffer.allocate(4 * components.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asFloatBuffer().put(components);
    return bytes.array();
  }

  @ParameterizedTest
  @CsvSource({"MINISERVER, RESP2", "MINISERVER, RESP3", "STACK, RESP2", "STACK, RESP3"})
  void suggestions(Kind kind, RedisProtocol protocol, World world) {
    try (var client = connect(kind, protocol, world)) {
      assertEquals(1, client.ftSugAdd("words", "hello", 2));
      assertEquals(2, client.ftSugAdd("words", "help", 3));
      assertEquals(2, client.ftSugAddIncr("words", "hello", 2));
      assertEquals(List.of("hello", "help"), client.ftSugGet("words", "hel"));
      assertEquals(List.of("hello"), client.ftSugGet("words", "hallo", true, 1));
      assertEquals("hello", client.ftSugGetWithScores("words", "hel").get(0).getElement());
      assertTrue(client.ftSugDel("words", "help"));
      assertEquals(1, client.ftSugLen("words"));
    }
  }
}
