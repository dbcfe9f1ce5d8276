// Line charts, as SVG: as wide as their place, with a cross-hair that follows the pointer and the arrow keys, and a text for those who do not see them.

import {count, el, show, svg} from "./dom.js";

const height = 240;
const margin = {left: 58, right: 14, top: 12, bottom: 34};

/** Chart draws series: [{name, points: [[x, y], ...], color}]. marks are vertical lines: [{x, text}]. It shows at least x0 to x1, and from a value up; with fit, only the
 *  values that there are. A text below it has room for a column of pixels. A value that is no number is left out. */
export class Chart {
  constructor({label, x = String, y = count, xTitle = "", from = 0, fit = false, tall = height, whole = false, column = 90, x0 = Infinity, x1 = -Infinity}) {
    Object.assign(this, {label, x, y, xTitle, from, fit, tall, whole, column, least: x0, most: x1, series: [], marks: [], at: null}); // at: where the cross-hair is
    this.legend = el("div", {class: "legend"});
    this.canvas = el("div", {class: "canvas", tabindex: "0", role: "slider", "aria-label": label, onpointermove: e => this.hover(e), onpointerleave: () => this.leave(),
      onkeydown: e => this.key(e), onblur: () => this.leave()});
    this.read = el("div", {class: "read soft", "aria-hidden": "true"}, " ");
    this.node = el("figure", {class: "chart", role: "group", "aria-label": label}, this.legend, this.canvas, this.read);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
  }

  set(series, marks = []) {
    this.series = series.map(s => ({...s, points: s.points.filter(p => Number.isFinite(p[1]))}));
    this.marks = marks;
    this.draw();
  }

  draw() {
    const width = this.canvas.clientWidth;
    const all = this.series.flatMap(s => s.points);
    show(this.legend, this.series.map(s => el("span", {class: "key"}, el("span", {class: "swatch", style: {background: s.color}}), s.name)));
    if (width === 0 || all.length === 0) return show(this.canvas);
    const xs = all.map(p => p[0]);
    this.x0 = Math.min(this.least, ...xs);
    this.x1 = Math.max(this.most, ...xs);
    if (this.x1 === this.x0) this.x1++;
    this.scale(all.map(p => p[1]));
    this.width = width;
    const atX = this.atX = v => margin.left + (v - this.x0) / (this.x1 - this.x0) * (width - margin.left - margin.right);
    const atY = v => this.tall - margin.bottom - (v - this.from) / (this.y1 - this.from) * (this.tall - margin.bottom - margin.top);
    const steps = [0, 1, 2, 3, 4].map(i => this.from + (this.y1 - this.from) * i / 4);
    const columns = Math.max(1, Math.min(8, Math.floor(width / this.column), this.whole ? this.x1 - this.x0 : 8));
    const ticks = Array.from({length: columns + 1}, (_, i) => this.x0 + (this.x1 - this.x0) * i / columns);
    this.cross = svg("line", {class: "cross", y1: margin.top, y2: this.tall - margin.bottom, visibility: "hidden"});
    show(this.canvas, svg("svg", {width, height: this.tall, "aria-hidden": "true"},
      steps.map(v => [svg("line", {class: "grid", x1: margin.left, x2: width - margin.right, y1: atY(v), y2: atY(v)}),
        svg("text", {class: "tick", x: margin.left - 8, y: atY(v) + 4, "text-anchor": "end"}, this.y(v))]),
      ticks.map((v, i) => svg("text", {class: "tick", x: atX(v), y: this.tall - margin.bottom + 16, "text-anchor": i === columns ? "end" : i === 0 && this.column > 90 ? "start" : "middle"}, this.x(v))),
      svg("text", {class: "tick", x: (width + margin.left) / 2, y: this.tall - 2, "text-anchor": "middle"}, this.xTitle),
      this.marks.map(m => [svg("line", {class: "mark", x1: atX(m.x), x2: atX(m.x), y1: margin.top, y2: this.tall - margin.bottom}),
        svg("text", {class: "mark-text", x: atX(m.x) + (m.x > (this.x0 + this.x1) / 2 ? -5 : 5), y: margin.top + 10, "text-anchor": m.x > (this.x0 + this.x1) / 2 ? "end" : "start"}, m.text)]),
      this.series.map(s => svg("path", {class: "series", d: path(s.points, atX, atY), style: {stroke: s.color}})), this.cross));
    if (this.at === null) this.leave();
    else this.tell(this.at);
  }

  /** scale chooses the values at the bottom and at the top. */
  scale(ys) {
    if (!this.fit) return void (this.y1 = nice(Math.max(...ys, this.from + 1)));
    const low = Math.min(...ys), high = Math.max(...ys), step = nice((high - low) / 4 || Math.abs(high) || 1);
    this.from = Math.floor(low / step) * step;
    this.y1 = this.from + 4 * nice((high - this.from) / 4 || step);
  }

  summary() {
    return this.series.map(s => {
      const last = s.points.at(-1);
      return last ? `${s.name} ${this.y(last[1])} at ${this.x(last[0])}` : s.name;
    }).join(", ");
  }

  hover(event) {
    if (!this.width) return;
    const at = event.clientX - this.canvas.getBoundingClientRect().left;
    this.tell(this.x0 + (at - margin.left) / (this.width - margin.left - margin.right) * (this.x1 - this.x0));
  }

  /** key moves the cross-hair from point to point; it begins at the last. */
  key(event) {
    const step = {ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity}[event.key];
    if (!step) return;
    event.preventDefault();
    const xs = [...new Set(this.series.flatMap(s => s.points.map(p => p[0])))].sort((a, b) => a - b);
    const at = this.at === null ? xs.length - 1 - Math.sign(step) : xs.findLastIndex(x => x <= this.at);
    if (xs.length > 0) this.tell(xs[Math.max(0, Math.min(xs.length - 1, at + step))]);
  }

  /** tell moves the cross-hair to the point next to x, and reads the values there. */
  tell(x) {
    const near = this.series.map(s => s.points.reduce((best, p) => Math.abs(p[0] - x) < Math.abs((best?.[0] ?? Infinity) - x) ? p : best, null));
    if (!near.some(Boolean)) return;
    this.at = near.find(Boolean)[0];
    this.cross.setAttribute("visibility", "visible");
    this.cross.setAttribute("x1", this.atX(this.at));
    this.cross.setAttribute("x2", this.atX(this.at));
    this.say(`${this.x(this.at)}: ` + this.series.map((s, i) => near[i] ? `${s.name} ${this.y(near[i][1])}` : "").filter(Boolean).join(", "), this.at);
    this.read.textContent = this.canvas.getAttribute("aria-valuetext");
  }

  leave() {
    this.at = null;
    this.cross?.setAttribute("visibility", "hidden");
    this.say(this.summary(), this.x1);
    this.read.textContent = " ";
  }

  /** say tells a screen reader what the chart shows. */
  say(text, x) {
    const values = {valuemin: this.x0, valuemax: this.x1, valuenow: x, valuetext: text};
    for (const [name, value] of Object.entries(values)) this.canvas.setAttribute(`aria-${name}`, value ?? 0);
  }
}

const path = (points, x, y) => points.map((p, i) => `${i ? "L" : "M"}${x(p[0]).toFixed(1)} ${y(p[1]).toFixed(1)}`).join("");

/** nice is the next round number. */
function nice(v) {
  const unit = 10 ** Math.floor(Math.log10(v));
  return [1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10].find(f => f * unit >= v) * unit;
}

/** bars draws a list of [name, value] as horizontal bars, with the numbers. */
export function bars(label, items, text = count, color = "var(--c2)") {
  const most = Math.max(1, ...items.map(([, v]) => v));
  return el("div", {class: "bars", role: "list", "aria-label": label}, items.map(([name, v]) => el("div", {class: "bar", role: "listitem"}, el("span", {class: "bar-name"}, name),
    el("span", {class: "bar-track"}, el("span", {class: "bar-fill", style: {width: `${100 * v / most}%`, background: color}})), el("span", {class: "bar-value"}, text(v)))));
}
