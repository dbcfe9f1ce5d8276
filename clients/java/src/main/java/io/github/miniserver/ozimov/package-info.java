/**
 * The classes of embedded-redis 0.x (it.ozimov:embedded-redis), whose methods declare no exceptions, over those of
 * {@link io.github.miniserver.embedded}. The packages have the names of those of {@code redis.embedded}, so that a test
 * changes its imports only.
 */
package io.github.miniserver.ozimov;
