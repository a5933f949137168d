import { expect, test } from "vitest";
import { JsonError, parseMembers } from "@/lib/json/json";
import { FrameError, parseElement, splitList } from "@/lib/json/list";

const parse = (text: string) => {
  const { members, elements } = splitList(text, { name: "list", most: 500, around: 1_000 });
  return { members, elements: elements?.map((element) => parseElement(text, element)) };
};
const faultOf = (read: () => unknown) => {
  try {
    read();
  } catch (error) {
    return error instanceof JsonError ? error.message : error;
  }
  return undefined;
};

test.each([
  ['{"list":[]}', []],
  ['{"list":[ ]}', []],
  ['{"a":{"list":[1]},"list":[1,"x",null]}', [1, "x", null]],
  [' {"a" : [1,{"b":"]"}] , "l\\u0069st" : [ {"x":"a,]}"} , {"y":"\\\\"},{"z":"\\""} ] , "b":2 }', 3],
])("%s is split", (text, expected) => {
  const { elements } = parse(text);
  if (typeof expected === "number") expect(elements).toHaveLength(expected);
  else expect(elements).toEqual(expected);
});

test.each(['{"list":5}', '{"list":{"a":[1]}}', "[1]", '"list"', '{"a":[1]}'])("%s has no such list", (text) => {
  expect(parse(text)).toEqual({ members: parseMembers(text), elements: undefined });
});

test.each([
  "",
  "{",
  '{"list":[',
  '{"list":[1,]}',
  '{"list":[,1]}',
  '{"list":[1 2]}',
  '{"list":[{"a":1]}]}',
  '{"list":[1]]}',
  '{"list":[1]}}',
  '{"list":[1],"list":[2]}',
  '{"list":[1],\n "a":1,"a":2}',
  '{"list":[{"a":1},\n  {"b":1,"b":2}]}',
  '{"list":["\\ud800"]}',
  '{"list":[1e400]}',
  '{"list":["a]}',
  '{"list":[//\n1]}',
  "{list:[1]}",
])("%s is refused as by the parser of whole documents", (text) => {
  const fault = faultOf(() => parse(text));
  const whole = faultOf(() => parseMembers(text));
  expect(typeof fault, String(fault)).toBe("string");
  expect(String(fault).replace(/^.*, at line/, "at line")).toBe(String(whole).replace(/^.*, at line/, "at line"));
});

test("an element may be as deep as a document, and their number is limited", () => {
  const deep = (levels: number) => `{"list":[${"[".repeat(levels)}${"]".repeat(levels)}]}`;
  expect(parse(deep(32)).elements).toHaveLength(1);
  expect(() => parse(deep(33))).toThrow(/deeper than 32/);
  expect(splitList('{"list":[1,2,3]}', { name: "list", most: 2, around: 20 })).toMatchObject({
    elements: [{ text: "1" }, { text: "2" }],
    hasMore: true,
  });
  for (const all of ['{"list":[1,2]}', '{"list":[ ]}'])
    expect(splitList(all, { name: "list", most: 2, around: 20 }).hasMore).toBe(false);
});

const frame = (text: string) => splitList(text, { name: "list", most: 2, around: 20 });

test.each([
  [`{"a":1${" ".repeat(20)},"list":[]}`, false],
  [`{"list":[]${" ".repeat(20)}}`, true],
  [`{"${"a".repeat(20)}":1,"list":[]}`, false],
  ['{"list":{"a":[1,2,3,4,5,6,7,8]}}', false],
  ['{"list":[],"list":[1,2,3,4,5,6]}', true],
  [`{a:1,"list":[${"1,".repeat(9)}1]}`, false],
])("%s has too much outside the list", (text, hasList) => {
  expect(faultOf(() => frame(text))).toEqual(new FrameError(hasList));
});

test("the list itself is not counted, unless it is never closed", () => {
  expect(frame(`{"list":[${" ".repeat(50)}1]}`).elements).toHaveLength(1);
  const open = `{"list":[\r\n1,\n${"2,".repeat(20)}`;
  expect(faultOf(() => frame(open))).toBe("the array is not closed with ], at line 3, column 41");
  expect(faultOf(() => frame(`{"list":[${"2,".repeat(20)}3}`))).toContain("the array is not closed with ]");
});
