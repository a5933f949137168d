import fc from "fast-check";
import { expect, test } from "vitest";
import { formatJson } from "./format";

const tokens = (text: string) => text.match(/"(?:[^"\\]|\\.)*"|[^\s"]+|"/g)?.join("");

test("formats JSON and keeps every spelling, order and duplicate", () => {
  expect(formatJson('{"b":1.10,"a":[1E2,{}],\n"b":"\\u0041" }')).toBe(
    '{\n  "b": 1.10,\n  "a": [\n    1E2,\n    {}\n  ],\n  "b": "\\u0041"\n}',
  );
});

test("changes only white space between tokens, whatever the input", () => {
  const piece = fc.constantFrom(..."{}[],:\\/*01.- \n\t", '"a b"', '"', "true", "1E2", "\r\n");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const text = pieces.join("");
      fc.pre(!/["/\\]/.test(text.replaceAll('"a b"', "")));
      expect(tokens(formatJson(text))).toBe(tokens(text));
    }),
    { numRuns: 5_000 },
  );
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(JSON.parse(formatJson(text))).toEqual(JSON.parse(text));
      expect(formatJson(formatJson(text))).toBe(formatJson(text));
    }),
  );
});

test("formats 64 KiB quickly", () => {
  const text = JSON.stringify(Object.fromEntries(Array.from({ length: 4_500 }, (_, i) => [`k${i}`, String(i)])));
  const start = performance.now();
  formatJson(text);
  expect(performance.now() - start).toBeLessThan(500);
});
