package io.github.miniserver.testkit;

import java.util.ArrayList;
import java.util.List;

/** An outage of the connections of a world's clients. Those of the kit itself are spared. */
public final class Outage {
  private final World world;

  Outage(World world) {
    this.world = world;
  }

  /**
   * Begins an outage, in the words that follow MINI.OUTAGE BEGIN: begin("CUT"), begin("HANG", "FOR", "5s"),
   * begin("DOWN").
   */
  public void begin(Object... words) {
    List<Object> all = new ArrayList<>(List.of("MINI.OUTAGE", "BEGIN"));
    all.addAll(List.of(words));
    world.server().command("MINI.WORLD", "NAME"); // while it can connect
    world.command(all.toArray());
  }

  /** Ends it, if there is one. What hangs goes on. */
  public void end() {
    world.command("MINI.OUTAGE", "END");
  }

  /** Returns how many connections were disconnected or hang, each as often as that happened. */
  public long struck() {
    return (Long) ((List<?>) world.command("MINI.OUTAGE", "STATUS")).get(5);
  }
}
