package io.github.miniserver.testkit;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Unpleasant choices that the server of a world may make. */
public final class Chaos {
  private final World world;

  /** A kind of choices: see MINI.CHAOS. */
  public enum Whim { EVICT, ORDER, SCAN, TIME }

  Chaos(World world) {
    this.world = world;
  }

  /** Lets the server make choices of a kind. */
  public void on(Whim whim) {
    world.command("MINI.CHAOS", whim, "ON");
  }

  /** Ends it. */
  public void off(Whim whim) {
    world.command("MINI.CHAOS", whim, "OFF");
  }

  /** Says of each kind whether it is on. */
  public Map<Whim, Boolean> status() {
    List<?> reply = (List<?>) world.command("MINI.CHAOS", "STATUS"); // names and their values by turns
    Map<Whim, Boolean> status = new TreeMap<>();
    for (int i = 0; i < reply.size(); i += 2) {
      status.put(Whim.valueOf(reply.get(i).toString().toUpperCase(Locale.ROOT)), reply.get(i + 1).equals("on"));
    }
    return status;
  }
}
