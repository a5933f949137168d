import fc from "fast-check";
import { expect, test } from "vitest";
import { literalOfCell } from "./cells";
import { viewRows } from "./row-views";
import { addRow, editRow, openRows, pasteCells, type RowEdit, type RowsState } from "./rows-state";

const open = (text: string): RowsState => {
  const state = openRows(text);
  if (!state) throw new Error(`not an object: ${text}`);
  return state;
};
const edit = (text: string, row: number, ...edits: RowEdit[]) =>
  edits.reduce((state, one) => editRow(state, row, one), open(text));
const typed = (text: string, part: "key" | "value" = "value"): RowEdit => ({ do: "type", part, text });
const left = (part: "key" | "value" = "value"): RowEdit => ({ do: "leave", part });

test("opening and leaving every cell is the identity", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2, "\t"), (object, indent) => {
      const text = JSON.stringify(object, null, indent);
      const state = open(text);
      const after = state.table.rows.reduce(
        (one, _, row) => editRow(editRow(one, row, left("key")), row, left()),
        state,
      );
      expect(after.text).toBe(text);
    }),
  );
});

test("retyping the displayed key or value changes nothing", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.string({ unit: "binary" }), { minKeys: 1 }), fc.nat(), (object, at) => {
      const text = JSON.stringify(object, null, 1);
      const row = at % Object.keys(object).length;
      const view = viewRows(open(text))[row];
      const after = edit(text, row, typed(view?.value ?? ""), left(), typed(view?.name ?? "", "key"), left("key"));
      expect(JSON.parse(after.text)).toEqual(JSON.parse(text));
      expect(Object.keys(JSON.parse(after.text))).toEqual(Object.keys(JSON.parse(text)));
    }),
  );
});

test("a number keeps its spelling while typed; anything else makes the text invalid until fixed", () => {
  const text = '{ "a": 1.10, "b": "x" }';
  const broken = edit(text, 0, typed("1e"), left());
  expect(broken.text).toBe('{ "a": 1e, "b": "x" }');
  expect(viewRows(broken)[0]).toMatchObject({
    type: "number",
    value: "1e",
    valueError: expect.stringContaining("Not a number"),
    problem: "a is not a number",
  });
  const other = editRow(broken, 1, typed("y"));
  expect(other.text).toBe('{ "a": 1e, "b": "y" }');
  expect(editRow(other, 0, typed("1e5")).text).toBe('{ "a": 1e5, "b": "y" }');
  expect(editRow(other, 0, { do: "convert", type: "string" }).text).toBe('{ "a": "1e", "b": "y" }');
});

test("a new row's type follows from what is typed until it is chosen", () => {
  const guess = (text: string) => literalOfCell(text, ["string", "number", "boolean", "null", "json"]);
  const guessing = (state: RowsState, text: string) => editRow(state, 1, { do: "type", part: "value", text, guess });
  const added = addRow(open('{"a":"1"}'), { key: "b", literal: '""' }, true);
  for (const [text, literal, type] of [
    ["12", "12", "number"],
    ["1.50", "1.50", "number"],
    ["12a", '"12a"', "string"],
    ["True", "true", "boolean"],
    ["007", '"007"', "string"],
    ['"12"', '"12"', "string"],
  ] as const) {
    const state = guessing(added, text);
    expect(state.text).toBe(`{"a":"1","b":${literal}}`);
    expect(viewRows(state)[1]).toMatchObject({ type, value: text, isGuessed: true, isTyped: true });
  }
  const asText = editRow(guessing(added, "12"), 1, { do: "convert", type: "string" });
  expect(guessing(asText, "13").text).toBe('{"a":"1","b":"13"}');
  const quoted = editRow(guessing(added, '"12"'), 1, left());
  expect(viewRows(quoted)[1]).toMatchObject({ value: "12", type: "string", isGuessed: false });
  expect(guessing(quoted, "13").text).toBe('{"a":"1","b":"13"}');
  // A row that was there keeps its type.
  expect(editRow(added, 0, { do: "type", part: "value", text: "2", guess }).text).toBe('{"a":"2","b":""}');
});

test("the type is fixed while typing, and follows the value when focus leaves the cell", () => {
  const state = edit('{"a":[1]}', 0, typed("1"));
  expect(viewRows(state)[0]).toMatchObject({ type: "json", value: "1" });
  expect(viewRows(editRow(state, 0, left()))[0]).toMatchObject({ type: "number", value: "1" });
});

test("switching between types loses nothing", () => {
  const types = (["number", "boolean", "null", "json", "string"] as const).map(
    (type) => ({ do: "convert", type }) as const,
  );
  expect(edit('{"a":"hello"}', 0, ...types).text).toBe('{"a":"hello"}');
  expect(edit('{"a":"hello"}', 0, ...types.slice(0, 1)).text).toBe('{"a":0}');
});

test("text that an input would alter or hide is edited as JSON", () => {
  const text = '{"a\\r":"b\\r\\nc","d":"e\\nf","g":"\\u202e"}';
  expect(viewRows(open(text)).map(({ name, value }) => [name, value])).toEqual([
    ['"a\\r"', '"b\\r\\nc"'],
    ["d", "e\nf"],
    ["g", '"\\u202e"'],
  ]);
  expect(edit(text, 0, typed('"b\\r\\nd"'), left()).text).toBe(text.replace("nc", "nd"));
  expect(viewRows(edit(text, 0, typed('"b'), left()))[0]?.valueError).toContain("double quotes");
});

test("flags duplicate keys on both rows, and values individually", () => {
  const views = viewRows(open('{"a":1,"\\u0061":9007199254740993,"b":{"x":1,"x":2},"c":"\\u0000"}'));
  expect(views.map(({ nameError, valueError }) => [nameError, valueError])).toEqual([
    ["Duplicate key", undefined],
    ["Duplicate key", "Too large or too precise for most JSON readers: put it in quotes"],
    [undefined, 'Duplicate member name "x"'],
    [undefined, "A NUL character (\\u0000) cannot be stored"],
  ]);
});

test("drafts stay on their rows when rows are added or removed", () => {
  const broken = edit('{"a":1,"b":2,"c":3}', 2, typed("x"));
  const removed = editRow(broken, 0, { do: "remove" });
  expect(removed.text).toBe('{"b":2,"c":x}');
  expect(addRow(removed, { key: "d", literal: '""' }).text).toBe('{"b":2,"c":x,"d":""}');
  expect(editRow(removed, 1, { do: "remove" }).text).toBe('{"b":2}');
});

test("typing further members into a cell adds rows for them", () => {
  const state = edit('{"a":[]}', 0, typed('1,"b":2'));
  expect(viewRows(state).map(({ name, value }) => [name, value])).toEqual([
    ["a", "1"],
    ["b", "2"],
  ]);
});

test("pasted cells fill rows from a cell, add rows, and keep all other spellings", () => {
  const types = ["string", "number", "boolean", "null", "json"] as const;
  const cells = [
    ["plan", "pro", "ignored"],
    ["seats", "25"],
    ["big", "9007199254740993"],
    ["beta", "TRUE"],
  ];
  const state = open('{"a": 1.10, "plan": "free",\n "n": 7}');
  expect(pasteCells(state, { row: 1, part: "key" }, { cells, types }).text).toBe(
    '{"a": 1.10, "plan": "pro",\n "seats": 25,\n "big": "9007199254740993",\n "beta": true}',
  );
  expect(pasteCells(state, { row: 1, part: "value" }, { cells: [["x"], ["8"]], types }).text).toBe(
    '{"a": 1.10, "plan": "x",\n "n": 8}',
  );
  expect(pasteCells(open("{}"), { row: 0, part: "key" }, { cells: [["a"], ["b", "2"]], types }).text).toBe(
    '{\n  "a": "",\n  "b": 2\n}',
  );
});

test("a paste keeps unfinished text elsewhere", () => {
  const broken = edit('{"a": 1, "b": 2}', 0, typed("1e"), left());
  const pasted = pasteCells(broken, { row: 1, part: "value" }, { cells: [["3"]], types: ["string"] });
  expect(pasted.text).toBe('{"a": 1e, "b": 3}');
});
