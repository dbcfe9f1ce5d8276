// What the pages use of CodeMirror. A page imports it from vendor/editor.js, when it needs an editor.
export {basicSetup, EditorView} from "codemirror";
export {Compartment, EditorState, RangeSet, StateEffect, StateField} from "@codemirror/state";
export {Decoration, GutterMarker, gutter, keymap} from "@codemirror/view";
export {HighlightStyle, StreamLanguage, syntaxHighlighting} from "@codemirror/language";
export {lintGutter, setDiagnostics} from "@codemirror/lint";
export {lua} from "@codemirror/legacy-modes/mode/lua";
export {tags} from "@lezer/highlight";
