import { expect, test } from "vitest";
import { hasCells, literalOfCell, parseCells } from "./cells";

test.each<[string, string[][]]>([
  ["plan\tpro", [["plan", "pro"]]],
  [
    "plan\tpro\nseats\t25\n",
    [
      ["plan", "pro"],
      ["seats", "25"],
    ],
  ],
  ["a\r\nb\r\n", [["a"], ["b"]]],
  ["a\t\t\nb", [["a", "", ""], ["b"]]],
  [
    'note\t"two\nlines"\nquote\t"say ""hi"""',
    [
      ["note", "two\nlines"],
      ["quote", 'say "hi"'],
    ],
  ],
  ['a\t"not closed\nb', [["a", '"not closed'], ["b"]]],
  ['a\t"in" the middle', [["a", '"in" the middle']]],
])("reads %j as cells", (text, cells) => {
  expect(parseCells(text)).toEqual(cells);
});

test("distinguishes cells from multi-line text", () => {
  expect(hasCells("plan\tpro", "")).toBe(true);
  expect(hasCells("a\nb", "<table><tr><td>a</td></tr></table>")).toBe(true);
  expect(hasCells("a\nb", "<p>a</p>")).toBe(false);
  expect(hasCells("a\n", "<table></table>")).toBe(false);
  expect(hasCells("SELECT *\n\tFROM x", "")).toBe(false);
  expect(hasCells("if (a) {\n\tb\n}", "<pre>if (a) {</pre>")).toBe(false);
});

test.each([
  ["25", "25"],
  ["1.10", "1.10"],
  ["007", '"007"'],
  ["9007199254740993", '"9007199254740993"'],
  ["TRUE", "true"],
  ["pro", '"pro"'],
  ['"12"', '"12"'],
  ['"12', '"\\"12"'],
  ["", '""'],
])("a new property reads %j as %s", (text, literal) => {
  expect(literalOfCell(text, ["string", "number", "boolean", "null", "json"])).toBe(literal);
});

test("a mapping reads every cell as a string", () => {
  expect(literalOfCell("213", ["string", "number", "json"])).toBe('"213"');
});
