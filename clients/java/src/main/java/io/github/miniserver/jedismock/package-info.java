/**
 * The classes of jedis-mock that tests use, over a real server: {@link io.github.miniserver.jedismock.RedisServer} is a
 * process of miniserver. The packages below have the names of those of {@code com.github.fppt.jedismock}, so that a
 * test changes its imports only.
 */
package io.github.miniserver.jedismock;
