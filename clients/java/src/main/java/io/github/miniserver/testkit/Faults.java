package io.github.miniserver.testkit;

import java.util.ArrayList;
import java.util.List;

/** Faults on demand, of a world. */
public final class Faults {
  private final World world;

  /**
   * A fault.
   *
   * @param fault its rule, in the words of MINI.FAULT
   * @param seen how many commands its selectors have matched
   * @param hits how many of them it has struck
   * @param note why there may be none of them; "" if there are
   */
  public record Fault(String id, String fault, long seen, long hits, String note) {}

  Faults(World world) {
    this.world = world;
  }

  /** Adds a fault, in the words that follow MINI.FAULT ADD id. */
  public void add(String id, Object... words) {
    List<Object> all = new ArrayList<>(List.of("MINI.FAULT", "ADD", id));
    all.addAll(List.of(words));
    world.command(all.toArray());
  }

  /** Returns the faults. */
  public List<Fault> list() {
    return ((List<?>) world.command("MINI.FAULT", "LIST")).stream().map(reply -> {
      List<?> f = (List<?>) reply; // names and their values by turns
      return new Fault((String) f.get(1), (String) f.get(3), (Long) f.get(5), (Long) f.get(7), (String) f.get(9));
    }).toList();
  }

  /** Removes a fault. */
  public void clear(String id) {
    world.command("MINI.FAULT", "CLEAR", id);
  }

  /** Logs a warning for each fault that has struck nothing. */
  void warn() {
    for (Fault fault : list()) {
      if (!fault.note().isEmpty()) {
        System.getLogger(Faults.class.getName())
            .log(System.Logger.Level.WARNING, "fault " + fault.id() + " " + fault.fault() + " " + fault.note());
      }
    }
  }

  /** Removes all faults. */
  public void clear() {
    world.command("MINI.FAULT", "CLEAR");
  }
}
