import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.JedisPooled;
import redis.clients.jedis.JedisPubSub;
import redis.embedded.RedisServer;
import redis.embedded.core.PortProvider;

/** Sessions in hashes. The server has a password, little memory, and tells of what expires. */
class SessionStoreTest {
  private RedisServer server;
  private JedisPooled jedis;

  @BeforeEach
  void start() throws IOException {
    int port = PortProvider.newEphemeralPortProvider().get();
    server = RedisServer.newRedisServer()
        .port(port)
        .bind("127.0.0.1")
        .setting("maxmemory 128M")
        .setting("requirepass \"secret word\"")
        .setting("notify-keyspace-events Ex")
        .setting("appendonly no")
        .setting("save \"\"")
        .build();
    server.start();
    jedis = new JedisPooled(new HostAndPort("127.0.0.1", port), DefaultJedisClientConfig.builder().password("secret word").build());
  }

  @AfterEach
  void stop() throws IOException {
    jedis.close();
    server.stop();
  }

  @Test
  void aSessionIsKept() {
    jedis.hset("session:1", Map.of("user", "alice", "theme", "dark"));
    jedis.expire("session:1", 1800);
    assertEquals("alice", jedis.hget("session:1", "user"));
    assertTrue(jedis.ttl("session:1") > 1700);
    jedis.del("session:1");
    assertNull(jedis.hget("session:1", "user"));
  }

  @Test
  void theStoreHearsOfSessionsThatEnd() {
    var ended = new String[1];
    jedis.subscribe(new JedisPubSub() {
      @Override
      public void onSubscribe(String channel, int count) {
        new Thread(() -> jedis.psetex("session:1", 20, "alice")).start();
      }

      @Override
      public void onMessage(String channel, String key) {
        ended[0] = key;
        unsubscribe();
      }
    }, "__keyevent@0__:expired");
    assertEquals("session:1", ended[0]);
  }

  @Test
  void usersAreIndexed() {
    for (int i = 0; i < 3; i++) {
      jedis.set("session:" + i, "alice");
      jedis.sadd("sessions:alice", "session:" + i);
    }
    List<String> users = jedis.mget(jedis.smembers("sessions:alice").toArray(String[]::new));
    assertEquals(List.of("alice", "alice", "alice"), users);
  }
}
