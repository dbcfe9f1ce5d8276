package demo;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.data.redis.core.script.RedisScript;

/** What is tested of the program on the page. */
@SpringBootApplication
class Visits {
  static final RedisScript<Boolean> MAY_PASS = RedisScript.of("""
      local count = redis.call('INCR', KEYS[1])
      if count == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
      return count <= tonumber(ARGV[1])
      """, Boolean.class);
}
