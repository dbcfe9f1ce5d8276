// The editor: Lua, breakpoints in the margin, how often lines ran, the line where the run is, and the linter's marks.

import {Decoration, EditorState, EditorView, GutterMarker, HighlightStyle, RangeSet, StateEffect, StateField, StreamLanguage, basicSetup, gutter, keymap,
  lintGutter, lua, setDiagnostics, syntaxHighlighting, tags} from "../../vendor/editor.js";

const toggle = StateEffect.define(), clear = StateEffect.define(), at = StateEffect.define(), counted = StateEffect.define();

class Dot extends GutterMarker {
  toDOM() {
    const dot = document.createElement("span");
    dot.className = "break-dot";
    dot.textContent = "●";
    return dot;
  }
}

class Hits extends GutterMarker {
  constructor(n) { super(); this.n = n; }
  eq(other) { return other.n === this.n; }
  toDOM() {
    const text = document.createElement("span");
    text.className = this.n === 0 ? "hits never" : "hits";
    text.textContent = this.n;
    return text;
  }
}

const dot = new Dot();

const points = StateField.define({
  create: () => RangeSet.empty,
  update(set, tr) {
    set = set.map(tr.changes);
    for (const e of tr.effects) {
      if (e.is(clear)) set = RangeSet.empty;
      if (!e.is(toggle)) continue;
      let there = false;
      set.between(e.value, e.value, () => { there = true; });
      set = set.update(there ? {filter: from => from !== e.value} : {add: [dot.range(e.value)]});
    }
    return set;
  },
});

const hits = StateField.define({
  create: () => new Map(),
  update(map, tr) {
    for (const e of tr.effects) if (e.is(counted)) return e.value;
    return tr.docChanged ? new Map() : map;
  },
});

const here = StateField.define({
  create: () => Decoration.none,
  update(set, tr) {
    for (const e of tr.effects) if (e.is(at)) return e.value === null ? Decoration.none : Decoration.set([Decoration.line({class: "run-line"}).range(e.value)]);
    return tr.docChanged ? Decoration.none : set;
  },
  provide: field => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([{tag: tags.keyword, color: "var(--c4)"}, {tag: tags.string, color: "var(--c3)"}, {tag: tags.number, color: "var(--c2)"},
  {tag: tags.comment, color: "var(--soft)", fontStyle: "italic"}, {tag: [tags.standard(tags.variableName), tags.atom, tags.bool], color: "var(--c6)"}]);

const look = EditorView.theme({
  "&": {fontSize: "13px", backgroundColor: "var(--sheet)", color: "var(--ink)", height: "100%"},
  "&:focus-within, &.cm-focused": {outline: "2px solid var(--focus)", outlineOffset: "-2px"},
  ".cm-scroller": {fontFamily: "var(--mono)", overflow: "auto"},
  ".cm-gutters": {backgroundColor: "var(--sunk)", color: "var(--soft)", border: "none"},
  ".cm-activeLine, .cm-activeLineGutter": {backgroundColor: "color-mix(in srgb, var(--sunk) 60%, transparent)"},
  ".cm-content": {caretColor: "var(--ink)"},
  ".cm-cursor": {borderLeftColor: "var(--ink)"},
  "&.cm-focused .cm-selectionBackground, .cm-selectionBackground, ::selection": {backgroundColor: "color-mix(in srgb, var(--focus) 30%, transparent) !important"},
  ".cm-tooltip, .cm-panels": {backgroundColor: "var(--sheet)", color: "var(--ink)", border: "1px solid var(--line)"},
  ".run-line": {backgroundColor: "var(--accent-back) !important", boxShadow: "inset 3px 0 var(--accent)"},
  ".break-dot": {color: "var(--bad)", cursor: "pointer"},
  ".cm-breaks .cm-gutterElement": {width: "16px", textAlign: "center", cursor: "pointer"},
  ".cm-hits .cm-gutterElement": {minWidth: "20px", textAlign: "right", paddingRight: "5px", color: "var(--good)"},
  ".hits.never": {color: "var(--bad)", fontWeight: "700"},
});

/** typeOver types over a selection. Left to Chrome, that makes elements with a style attribute, which the policy forbids. */
const typeOver = EditorView.domEventHandlers({beforeinput(event, view) {
  const {from, to, empty} = view.state.selection.main, text = event.data;
  if (empty || view.composing || event.inputType !== "insertText" || !text) return false;
  const insert = () => view.state.update(view.state.replaceSelection(text), {userEvent: "input.type", scrollIntoView: true});
  if (!view.state.facet(EditorView.inputHandler).some(handle => handle(view, from, to, text, insert))) view.dispatch(insert());
  event.preventDefault();
  return true;
}});

export class Editor {
  /** changed(text) is called when somebody types, pointed() when breakpoints have changed. keys are shortcuts {key, run}. */
  constructor(text, {changed, pointed, keys}) {
    const breaks = gutter({class: "cm-breaks", markers: view => view.state.field(points), initialSpacer: () => dot,
      domEventHandlers: {mousedown: (view, line) => { this.togglePoint(view.state.doc.lineAt(line.from).number); return true; }}});
    const runs = gutter({class: "cm-hits", lineMarker: (view, line) => {
      const n = view.state.field(hits).get(view.state.doc.lineAt(line.from).number);
      return n === undefined ? null : new Hits(n);
    }, lineMarkerChange: update => update.transactions.some(tr => tr.docChanged || tr.effects.some(e => e.is(counted)))});
    this.pointed = pointed;
    // In a shadow root CodeMirror adopts its style sheets; in the document it would write style elements, which the policy forbids.
    this.node = document.createElement("div");
    this.node.className = "editor";
    const root = this.node.attachShadow({mode: "open"});
    this.view = new EditorView({root, parent: root, doc: text, extensions: [points, hits, here, breaks, runs, keymap.of(keys), typeOver, basicSetup, StreamLanguage.define(lua),
      syntaxHighlighting(colours), look, lintGutter(), EditorState.tabSize.of(2), EditorView.contentAttributes.of({"aria-label": "Script", spellcheck: "false"}),
      EditorView.updateListener.of(update => {
        if (update.docChanged) changed(this.text);
        if (update.docChanged && this.points.length > 0) pointed();
      })]});
  }

  get text() { return this.view.state.doc.toString(); }
  set text(text) {
    this.view.dispatch({changes: {from: 0, to: this.view.state.doc.length, insert: text}, effects: [clear.of(null)]});
  }

  get currentLine() { return this.view.state.doc.lineAt(this.view.state.selection.main.head).number; }

  /** points are the lines with a breakpoint. */
  get points() {
    const lines = [], {doc} = this.view.state;
    for (const i = this.view.state.field(points).iter(); i.value; i.next()) lines.push(doc.lineAt(Math.min(i.from, doc.length)).number);
    return [...new Set(lines)];
  }

  togglePoint(line) {
    if (!Number.isInteger(line) || line < 1 || line > this.view.state.doc.lines) return;
    this.view.dispatch({effects: toggle.of(this.view.state.doc.line(line).from)});
    this.pointed();
  }

  /** showLine marks the line where the run is, null for none. */
  showLine(line) {
    const {doc} = this.view.state;
    const position = line !== null && line >= 1 && line <= doc.lines ? doc.line(line).from : null;
    this.view.dispatch({effects: [at.of(position), ...(position === null ? [] : [EditorView.scrollIntoView(position, {y: "nearest", yMargin: 40})])]});
  }

  showHits(map) { this.view.dispatch({effects: counted.of(map)}); }

  showFindings(list) {
    const {doc} = this.view.state;
    this.view.dispatch(setDiagnostics(this.view.state, list.filter(f => f.line <= doc.lines).map(f => {
      const line = doc.line(Math.max(1, f.line)), from = Math.min(line.from + f.column - 1, line.to);
      const word = /^[\w.]+|^./.exec(doc.sliceString(from, line.to));
      return {from, to: from + (word ? word[0].length : 0), severity: f.level === "note" ? "info" : f.level, message: `${f.message} (${f.rule})`};
    })));
  }

  close() { this.view.destroy(); }
}
