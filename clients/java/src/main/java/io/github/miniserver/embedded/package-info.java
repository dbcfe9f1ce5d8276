/**
 * The classes of embedded-redis (com.github.codemonstur:embedded-redis, 1.x) over processes of miniserver. The packages
 * have the names of those of {@code redis.embedded}, so that a test changes its imports only. For its releases 0.x see
 * {@link io.github.miniserver.ozimov}.
 */
package io.github.miniserver.embedded;
