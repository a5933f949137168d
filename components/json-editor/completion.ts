import {
  acceptCompletion,
  autocompletion,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  pickedCompletion,
} from "@codemirror/autocomplete";
import type { Extension } from "@codemirror/state";
import { type EditorView, keymap, type Rect } from "@codemirror/view";
import { caretPlace, isClosed } from "./caret-place";
import { absentWords, type RowGuide, type SheetGuide } from "./guide";

type Place = NonNullable<ReturnType<typeof caretPlace>>;
type KeyPlace = Extract<Place, { part: "key" }>;

/** Something to choose. */
interface Choice extends Completion {
  /** as JSON */
  literal: string;
  /** chosen first */
  isUrgent: boolean;
}

/** Completes an object's keys and values from a guide, as one types and with Ctrl-Space. */
export function guidedCompletion(guide: SheetGuide): Extension {
  return [
    autocompletion({
      override: [(context) => complete(guide, context)],
      icons: false,
      positionInfo: placeInfo,
      // After a key comes its value.
      activateOnCompletion: ({ type }) => type === KEY,
    }),
    // Elsewhere, Tab leaves the field.
    keymap.of([{ key: "Tab", run: acceptCompletion }]),
  ];
}

/** Places a choice's description next to the list, or on narrow screens below or above it, never over other choices. */
function placeInfo(_view: EditorView, list: Rect, option: Rect, info: Rect, space: Rect) {
  const [width, height] = [info.right - info.left, info.bottom - info.top];
  const top = Math.max(space.top, Math.min(option.top, space.bottom - height)) - list.top;
  if (space.right - list.right >= width) return { style: `top: ${top}px`, class: "cm-completionInfo-right" };
  if (list.left - space.left >= width) return { style: `top: ${top}px`, class: "cm-completionInfo-left" };
  const fitsBelow = space.bottom - list.bottom >= height;
  return { style: `left: 0; ${fitsBelow ? "top" : "bottom"}: ${list.bottom - list.top}px` };
}

const KEY = "key";

function complete(guide: SheetGuide, { state, pos, explicit }: CompletionContext): CompletionResult | null {
  const place = caretPlace(state.doc.toString(), pos);
  if (!place || !(explicit || isAwaited(place, pos))) return null;
  const choices = place.part === "key" ? keysFor(guide, place) : valuesFor(guide.rows.get(place.key), place.part);
  const options = fitting(choices, place, explicit);
  if (options.length === 0) return null;
  // The choices were filtered: by names too, and whatever the quotes.
  return { from: place.from, to: place.to, options, filter: false };
}

/** Whether what was just typed asks for choices: Enter and Tab must mean what they say elsewhere. */
function isAwaited({ token, to, part }: Place, caret: number): boolean {
  if (token === undefined) return part === "value";
  const isDone = caret === to && isClosed(token);
  return !isDone && !/^[-\d]/.test(token);
}

/** The choices for what was typed; for a finished one, on request, all. */
function fitting(choices: Choice[], { typed, token }: Place, explicit: boolean): Choice[] {
  if (explicit && choices.some(({ literal }) => literal === token)) return choices;
  const wanted = typed.toLowerCase();
  const found = choices.filter(
    ({ label, detail, literal }) => literal !== token && `${label}\n${detail ?? ""}`.toLowerCase().includes(wanted),
  );
  const rank = ({ label, isUrgent }: Choice) =>
    (label.replace(/^"/, "").toLowerCase().startsWith(wanted) ? 0 : 2) + (isUrgent ? 0 : 1);
  return found.sort((a, b) => rank(a) - rank(b));
}

function keysFor({ rows }: SheetGuide, place: KeyPlace): Choice[] {
  return [...rows.values()]
    .filter(({ key }) => !place.keys.has(key))
    .map((row) => ({
      type: KEY,
      label: row.key,
      literal: JSON.stringify(row.key),
      isUrgent: row.isRequired,
      ...withText({ detail: [row.label ?? row.type, absentWords(row)].filter(Boolean).join(" · "), info: row.hint }),
      apply: (view, completion) => addKey(view, completion, { place, row }),
    }));
}

function valuesFor(row: RowGuide | undefined, part: "value" | "item"): Choice[] {
  const values = (part === "value" ? row?.values : row?.items) ?? [];
  return values.map(({ literal, note }) => ({
    label: literal,
    literal,
    isUrgent: false,
    ...withText({ detail: note }),
    apply: (view, completion, from, to) =>
      view.dispatch({
        changes: { from, to, insert: literal },
        selection: { anchor: from + literal.length },
        ...picked(completion),
      }),
  }));
}

/** Writes a key, and what it lacks to be a member; the caret is where its value goes. */
function addKey(view: EditorView, completion: Completion, { place, row }: { place: KeyPlace; row: RowGuide }) {
  const { from, to, hasColon, commaAt, isFollowed } = place;
  const name = JSON.stringify(row.key);
  const value = row.values.length === 0 && /^(""|\[\]|\{\})$/.test(row.blank.literal) ? row.blank.literal : "";
  const rest = hasColon ? "" : `: ${value}${isFollowed ? "," : ""}`;
  const changes = [{ from, to, insert: name + rest }];
  if (commaAt !== undefined) changes.unshift({ from: commaAt, to: commaAt, insert: "," });
  const start = from + (commaAt === undefined ? 0 : 1);
  const anchor = start + name.length + (hasColon ? 0 : ": ".length + (value === "" ? 0 : 1));
  view.dispatch({ changes, selection: { anchor }, ...picked(completion) });
}

const picked = (completion: Completion) => ({
  userEvent: "input.complete",
  scrollIntoView: true,
  annotations: pickedCompletion.of(completion),
});

/** Only what there is: the editor's types allow no undefined. */
function withText({ detail, info }: { detail?: string | undefined; info?: string | undefined }) {
  return { ...(detail && { detail }), ...(info && { info }) };
}
