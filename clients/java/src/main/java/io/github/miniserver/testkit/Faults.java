package io.github.miniserver.testkit;

import java.util.ArrayList;
import java.util.List;

/** Faults on demand, of a world. */
public final class Faults {
  private final World world;

  Faults(World world) {
    this.world = world;
  }

  /** Adds a fault, in the words that follow MINI.FAULT ADD id. */
  public void add(String id, Object... words) {
    List<Object> all = new ArrayList<>(List.of("MINI.FAULT", "ADD", id));
    all.addAll(List.of(words));
    world.command(all.toArray());
  }

  /** Returns the faults with their hits, as the server replies. */
  public List<?> list() {
    return (List<?>) world.command("MINI.FAULT", "LIST");
  }

  /** Removes all faults. */
  public void clear() {
    world.command("MINI.FAULT", "CLEAR");
  }
}
