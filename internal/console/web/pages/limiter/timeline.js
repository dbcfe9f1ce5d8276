// The timeline: for each limiter the requests that passed, above the line, and those that bounced, below it with a foot; the window that
// slides over them; between two limiters marks where they disagree; and the memory of both.

import {bytes, duration, svg} from "../../dom.js";
import {disagreements} from "./run.js";

const laneHeight = 100, gap = 20, memoryHeight = 78, axis = 22, left = 8, right = 8;

export class Timeline {
  /** seek(t) is called when the cursor is dragged. */
  constructor(seek) {
    this.width = 800;
    this.node = svg("svg", {class: "timeline", role: "img", "aria-label": "Timeline of requests"});
    this.node.addEventListener("pointerdown", e => { this.node.setPointerCapture(e.pointerId); this.#drag(e, seek); });
    this.node.addEventListener("pointermove", e => { if (e.buttons & 1) this.#drag(e, seek); });
    this.watcher = new ResizeObserver(([entry]) => {
      this.width = Math.max(280, Math.round(entry.contentRect.width));
      this.redraw?.();
    });
    this.watcher.observe(this.node);
  }

  close() { this.watcher.disconnect(); }

  #drag(event, seek) {
    const at = (event.clientX - this.node.getBoundingClientRect().left - left) / (this.width - left - right);
    seek(Math.max(0, Math.min(1, at)) * this.span);
  }

  x(t) { return left + t / this.span * (this.width - left - right); }

  /** draw draws a run at a time of the cursor, for a user or for all of them (""). */
  draw(run, cursor, user) {
    this.redraw = () => this.draw(run, cursor, user);
    this.span = run.duration;
    const differ = run.lanes.length > 1 ? gap : 8;
    const height = run.lanes.length * laneHeight + (run.lanes.length > 1 ? gap : 0) + memoryHeight + axis + 14;
    this.node.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
    this.node.style.height = `${height}px`;
    const tops = run.lanes.map((_, i) => i * (laneHeight + differ));
    const memoryTop = tops.at(-1) + laneHeight + 14;
    this.node.replaceChildren(
      ...run.lanes.flatMap((lane, i) => this.#lane(lane, tops[i], cursor, user, i)),
      ...(run.lanes.length > 1 ? this.#differences(run.lanes, laneHeight, cursor, user) : []),
      ...this.#memory(run.lanes, memoryTop, user),
      ...this.#axis(memoryTop + memoryHeight),
      svg("line", {class: "cursor", x1: this.x(cursor), x2: this.x(cursor), y1: 0, y2: memoryTop + memoryHeight}));
  }

  #lane(lane, top, cursor, user, number) {
    const base = top + 62;
    const mine = lane.results.filter(r => !user || r.user === user);
    const ticks = (of, from, to) => mine.filter(of).map(r => `M${this.x(r.t).toFixed(1)} ${base + from}V${base + to}`).join("");
    const feet = mine.filter(r => !r.allowed).map(r => `M${(this.x(r.t) - 2).toFixed(1)} ${base + 22}h4`).join("");
    return [
      svg("rect", {class: "lane", x: 0, y: top, width: this.width, height: laneHeight, rx: 6}),
      ...this.#window(lane, top, cursor, mine),
      ...this.#room(lane, top, mine),
      svg("line", {class: "base", x1: left, x2: this.width - right, y1: base, y2: base}),
      svg("path", {class: "passed", d: ticks(r => r.allowed, -3, -26)}),
      svg("path", {class: "bounced", d: ticks(r => !r.allowed, 3, 22) + feet}),
      ...this.#counts(mine.filter(r => r.allowed), "passed", base - 29),
      ...this.#counts(mine.filter(r => !r.allowed), "bounced", base + 33),
      svg("text", {class: `name c${number + 1}`, x: left + 4, y: top + 16}, lane.title),
    ];
  }

  /** #counts writes how many requests lie behind a tick, where there are more than one and room for the number. */
  #counts(results, verdict, y) {
    const groups = [];
    for (const {t} of results) {
      const x = this.x(t), last = groups.at(-1);
      if (last && x - last.x < 2) last.n++;
      else groups.push({x, n: 1});
    }
    return groups.filter((g, i) => g.n > 1 && Math.min(g.x - (groups[i - 1]?.x ?? -Infinity), (groups[i + 1]?.x ?? Infinity) - g.x) > 16)
      .map(g => svg("text", {class: `count ${verdict}`, x: Math.max(g.x, left + 2), y, "text-anchor": "middle"}, `${g.n}`));
  }

  /** #window draws the window in which the cursor lies, and how many requests passed in it. */
  #window(lane, top, cursor, mine) {
    if (!lane.algorithm.window || new Set(mine.map(r => r.user)).size !== 1) return [];
    const [from, to] = windowAt(lane, cursor, mine);
    const inside = mine.filter(r => r.allowed && r.t <= cursor && (lane.algorithm.window === "fixed" ? r.t >= from : r.t > from)).length;
    const [x1, x2] = [Math.max(0, this.x(from)), Math.min(this.width, this.x(to))];
    if (x2 <= x1) return [];
    return [svg("rect", {class: "window", x: x1, y: top + 1, width: x2 - x1, height: laneHeight - 2}),
      svg("text", {class: "inside", x: Math.min(x2 - 4, this.width - right), y: top + laneHeight - 7, "text-anchor": "end"},
        `${inside} of ${lane.settings.limit} in the window`)];
  }

  /** #room draws how many more requests the limiter would have let pass, as it replied. */
  #room(lane, top, mine) {
    const known = mine.filter(r => typeof r.left === "number");
    if (known.length === 0 || new Set(mine.map(r => r.user)).size !== 1) return [];
    const most = Math.max(1, ...known.map(r => r.left + 1));
    const y = n => top + laneHeight - 4 - n / most * 60;
    const d = known.map((r, i) => `${i ? "H" : "M"}${this.x(r.t).toFixed(1)}${i ? "" : ` ${y(r.left).toFixed(1)}`}V${y(r.left).toFixed(1)}`).join("");
    return [svg("path", {class: "room", d})];
  }

  #differences(lanes, top, cursor, user) {
    const list = disagreements(lanes).filter(d => !user || d.user === user);
    const d = list.map(r => `M${this.x(r.t).toFixed(1)} ${top + 3}l5 7l-5 7l-5 -7z`).join("");
    return [svg("path", {class: "differ", d}),
      svg("text", {class: "note", x: this.width - right - 4, y: top + gap + 16, "text-anchor": "end"}, list.length ? `${list.length} ${list.length === 1 ? "disagreement" : "disagreements"}` : "no disagreements")];
  }

  #memory(lanes, top, user) {
    const value = m => user ? m.users.get(user) ?? 0 : m.bytes;
    const most = Math.max(1, ...lanes.flatMap(l => l.memory.map(value)));
    const y = n => top + memoryHeight - 4 - n / most * (memoryHeight - 24);
    return [
      svg("text", {class: "note", x: left + 4, y: top + 12}, `Memory${user ? ` of ${user}` : " of all users"}, up to ${bytes(most)}`),
      svg("line", {class: "base", x1: left, x2: this.width - right, y1: top + memoryHeight - 4, y2: top + memoryHeight - 4}),
      ...lanes.map((lane, i) => svg("path", {class: `memory c${i + 1}`,
        d: lane.memory.map((m, j) => `${j ? "H" : "M"}${this.x(m.t).toFixed(1)}${j ? "V" : " "}${y(value(m)).toFixed(1)}`).join("")})),
    ];
  }

  #axis(top) {
    const steps = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 15000, 30000, 60000, 120000, 300000, 600000, 1800000, 3600000, 7200000, 21600000, 86400000];
    const room = Math.max(2, Math.floor(this.width / 90));
    const step = steps.find(s => this.span / s <= room) ?? this.span / room;
    const marks = [];
    for (let t = 0; t <= this.span; t += step) {
      marks.push(svg("line", {class: "base", x1: this.x(t), x2: this.x(t), y1: top - 4, y2: top + 2}));
      const anchor = t === 0 ? "start" : this.x(t) > this.width - 30 ? "end" : "middle";
      marks.push(svg("text", {class: "note", x: this.x(t), y: top + 15, "text-anchor": anchor}, t === 0 ? "0" : duration(t)));
    }
    return marks;
  }
}

/** windowAt returns where the window around a time begins and ends. A fixed window's is that which the server's key told. */
function windowAt(lane, cursor, mine) {
  const window = lane.settings.window;
  if (lane.algorithm.window === "sliding") return [cursor - window, cursor];
  const last = mine.filter(r => r.t <= cursor).at(-1);
  if (!last || last.rest <= 0 || last.t + last.rest <= cursor) return [cursor, cursor];
  return [last.t + last.rest - window, last.t + last.rest];
}
