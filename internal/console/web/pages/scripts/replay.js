// A trace, and a place in it: ahead and back are moves of that place. Step n of n is the end.

export class Replay {
  /** points are the lines with breakpoints; a step knows whether the condition of its own is true. */
  constructor(trace) {
    this.trace = trace;
    this.place = 0;
    this.points = new Map(); // line -> condition
  }

  get steps() { return this.trace.steps; }
  get last() { return this.steps.length; }
  get ended() { return this.place === this.last; }
  get step() { return this.ended ? this.trace.end : this.steps[this.place]; }
  get line() { return this.ended ? null : this.step.line; }

  depth(i) { return i < this.last ? this.steps[i].frames.length : 0; }

  stopsAt(i) {
    const {line, stops} = this.steps[i], condition = this.points.get(line);
    return condition !== undefined && (condition === "" || Boolean(stops));
  }

  go(place) { this.place = Math.max(0, Math.min(this.last, place)); }
  into() { this.go(this.place + 1); }
  back() { this.go(this.place - 1); }
  over() { this.#ahead(i => this.depth(i) <= this.depth(this.place)); }
  out() { this.#ahead(i => this.depth(i) < this.depth(this.place)); }
  continue() { this.#ahead(() => false); }

  #ahead(arrived) {
    let i = this.place + 1;
    while (i < this.last && !arrived(i) && !this.stopsAt(i)) i++;
    this.go(i);
  }

  reverse() {
    let i = this.place - 1;
    while (i > 0 && !this.stopsAt(i)) i--;
    this.go(i);
  }

  /** calls are all commands that the script has called: {...call, place}, place being the step before. */
  get calls() {
    const of = (step, i) => (step.calls ?? []).map(c => ({...c, place: Math.max(0, i - 1)}));
    return [...this.steps.flatMap(of), ...of(this.trace.end, this.last)];
  }

  /** keysAt returns the keys as they are at a step: name -> {kind, value}. */
  keysAt(place) {
    const keys = new Map();
    for (let i = 0; i <= Math.min(place, this.last); i++) for (const k of (i < this.last ? this.steps[i] : this.trace.end).keys ?? []) keys.set(k.name, k);
    return keys;
  }

  /** before returns the variables of the innermost frame at the step before, if it is the same function. */
  before() {
    const was = this.place > 0 && this.steps[this.place - 1], is = this.step;
    if (!was || this.ended || was.frames.length !== is.frames.length || was.frames[0]?.name !== is.frames[0]?.name) return null;
    return new Map(was.frames[0]?.locals);
  }
}
