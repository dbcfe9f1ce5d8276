package io.github.miniserver.testkit;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** The clock of a world. Every method returns the time that it shows then. */
public final class Clock {
  private final World world;

  Clock(World world) {
    this.world = world;
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

  private Instant move(String how) {
    return Instant.ofEpochMilli((Long) world.command("MINI.CLOCK", how));
  }

  private Instant move(String how, Object by) {
    return Instant.ofEpochMilli((Long) world.command("MINI.CLOCK", how, by));
  }
}
