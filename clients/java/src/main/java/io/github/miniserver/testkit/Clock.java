package io.github.miniserver.testkit;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;

/**
 * The clock of a world. The methods that steer it return the time that it shows then. A program that takes its time
 * from a {@link java.time.Clock} has the world's if a test gives it this one, so that moving it moves both; its zone is
 * UTC. Each look at it asks the server, in milliseconds.
 */
public final class Clock extends java.time.Clock {
  private final World world;
  private final ZoneId zone;

  Clock(World world) {
    this(world, ZoneOffset.UTC);
  }

  private Clock(World world, ZoneId zone) {
    this.world = world;
    this.zone = zone;
  }

  /** Stops the clock. */
  public Instant freeze() {
    return move("FREEZE");
  }

  /** Moves the clock ahead. What is due on the way has happened when it returns. */
  public Instant advance(Duration time) {
    return move("ADVANCE", time.toMillis());
  }

  /** Moves the clock ahead by a duration with units, such as "1h30m". */
  public Instant advance(String time) {
    return move("ADVANCE", time);
  }

  /** Sets the clock. */
  public Instant set(Instant time) {
    return move("SET", time.toEpochMilli());
  }

  /** Lets the clock run so many times as fast as the machine's. */
  public Instant scale(double factor) {
    return move("SCALE", factor);
  }

  /** Lets the clock run at the machine's pace, from the time that it shows. */
  public Instant resume() {
    return move("RESUME");
  }

  /** Returns the time. */
  public Instant now() {
    List<?> status = (List<?>) world.command("MINI.CLOCK", "STATUS"); // time, its value, scale ...
    return Instant.ofEpochMilli((Long) status.get(1));
  }

  @Override
  public Instant instant() {
    return now();
  }

  @Override
  public ZoneId getZone() {
    return zone;
  }

  /** Returns the same clock in another zone. */
  @Override
  public Clock withZone(ZoneId zone) {
    return new Clock(world, zone);
  }

  private Instant move(String how) {
    return Instant.ofEpochMilli((Long) world.command("MINI.CLOCK", how));
  }

  private Instant move(String how, Object by) {
    return Instant.ofEpochMilli((Long) world.command("MINI.CLOCK", how, by));
  }
}
