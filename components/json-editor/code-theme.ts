import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

const highlighting = syntaxHighlighting(
  HighlightStyle.define([
    { tag: tags.propertyName, color: "var(--code-key)" },
    { tag: tags.string, color: "var(--code-string)" },
    { tag: [tags.number, tags.bool, tags.null], color: "var(--code-literal)" },
    { tag: [tags.separator, tags.brace, tags.squareBracket, tags.invalid], color: "var(--text-muted)" },
  ]),
);

const control = {
  height: "28px",
  padding: "0 8px",
  border: "1px solid var(--control)",
  borderRadius: "6px",
  background: "var(--surface)",
  color: "var(--text)",
  fontSize: "12px",
  fontFamily: "inherit",
};

const tint = (color: string, share: number) => `color-mix(in oklab, var(${color}) ${share}%, transparent)`;

const theme = EditorView.theme({
  "&": { backgroundColor: "transparent", color: "var(--text)", fontSize: "13px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": {
    fontFamily: "var(--font-mono)",
    lineHeight: "20px",
    minHeight: "var(--editor-height, max(240px, 100dvh - 580px))",
  },
  ".cm-content": { padding: "7px 0", caretColor: "var(--text)" },
  ".cm-line": { padding: "0 8px 0 4px" },
  ".cm-cursor, .cm-dropCursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: tint("--accent", 25),
  },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "transparent" },
  "&.cm-focused .cm-activeLine": { backgroundColor: tint("--text-muted", 8) },
  "&.cm-focused .cm-activeLineGutter": { backgroundColor: tint("--text-muted", 8), color: "var(--text)" },
  ".cm-gutters": { backgroundColor: "transparent", color: "var(--text-muted)", border: "none" },
  ".cm-lineNumbers .cm-gutterElement": { minWidth: "28px", padding: "0 8px 0 4px" },
  ".cm-foldGutter .cm-gutterElement": { width: "14px", textAlign: "center", cursor: "default" },
  ".cm-foldPlaceholder": {
    margin: "0 4px",
    padding: "0 4px",
    border: "1px solid var(--border-strong)",
    borderRadius: "4px",
    background: "var(--pressed)",
    color: "var(--text-secondary)",
  },
  ".cm-gutter-lint": { width: "16px" },
  ".cm-gutter-lint .cm-gutterElement": { padding: "0 2px" },
  ".cm-lint-marker": { width: "12px", height: "20px" },
  // CodeMirror's own marker and underline are data: images, which a strict policy blocks.
  ".cm-lint-marker-error": { content: "normal" },
  ".cm-lint-marker-error::before": { content: "'●'", color: "var(--danger)", fontSize: "12px", lineHeight: "20px" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--danger)",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "3px",
  },
  ".cm-lintPoint-error::after": { borderBottomColor: "var(--danger)" },
  "&.cm-focused .cm-matchingBracket": { backgroundColor: tint("--accent", 20), outline: "1px solid var(--accent)" },
  "&.cm-focused .cm-nonmatchingBracket": { backgroundColor: tint("--danger", 20) },
  ".cm-searchMatch": { backgroundColor: tint("--warning", 30) },
  ".cm-searchMatch-selected": { backgroundColor: tint("--warning", 30), outline: "2px solid var(--warning)" },
  ".cm-tooltip": {
    border: "1px solid var(--border)",
    borderRadius: "6px",
    backgroundColor: "var(--surface)",
    color: "var(--text)",
    boxShadow: "0 4px 12px rgb(0 0 0 / 0.15)",
  },
  ".cm-diagnostic": { padding: "4px 8px", whiteSpace: "normal", maxWidth: "320px" },
  ".cm-diagnostic-error": { borderLeft: "none" },
  ".cm-panels": { backgroundColor: "var(--surface)", color: "var(--text)", borderRadius: "6px 6px 0 0" },
  ".cm-panels-top": { borderBottom: "1px solid var(--border)" },
  ".cm-panel.cm-search": {
    display: "flex",
    flexWrap: "wrap",
    alignItems: "center",
    gap: "4px",
    padding: "6px 36px 6px 6px",
  },
  ".cm-panel.cm-search br": { display: "none" },
  ".cm-panel.cm-search :is(button, label)": { textTransform: "capitalize" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button": { margin: "0" },
  ".cm-panel.cm-search label": {
    display: "inline-flex",
    alignItems: "center",
    gap: "4px",
    minHeight: "24px",
    margin: "0 4px",
    fontSize: "12px",
  },
  ".cm-panel.cm-search input[type=checkbox]": { width: "14px", height: "14px", accentColor: "var(--accent)" },
  ".cm-textfield": { ...control, width: "160px" },
  ".cm-button": { ...control, backgroundImage: "none", "&:active": { backgroundImage: "none" } },
  ".cm-button:hover": { background: "var(--hover)" },
  ".cm-panel.cm-search [name=close]": {
    top: "6px",
    right: "6px",
    width: "28px",
    height: "28px",
    borderRadius: "6px",
    color: "var(--text)",
    fontSize: "18px",
  },
});

/** Uses the page's variables, so that the editor follows its theme. */
export const codeTheme = [theme, highlighting];
