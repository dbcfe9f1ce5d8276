/**
 * Runs miniserver for tests, and steers it. A {@link io.github.miniserver.testkit.Server} is a process; a {@link
 * io.github.miniserver.testkit.World} of it has its own data, clock, scripts and faults, so that tests can run side by
 * side on one server. With JUnit 5, {@link io.github.miniserver.testkit.MiniserverExtension} passes both to tests.
 */
package io.github.miniserver.testkit;
