import fc from "fast-check";
import { expect, test } from "vitest";
import { writeCsv } from "@/lib/json/csv";
import { type FileRow, readFile } from "./read-file";

const bytes = (text: string) => new TextEncoder().encode(text);

async function* inPieces(whole: Uint8Array, size: number) {
  for (let at = 0; at < whole.length; at += size) yield whole.subarray(at, at + size);
}

async function rowsOf(content: string | Uint8Array, size = 1_000_000): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  for await (const row of readFile(inPieces(typeof content === "string" ? bytes(content) : content, size)))
    rows.push(row);
  return rows;
}

const summary = (rows: FileRow[]) =>
  rows.map(({ line, fields, issues }) => [
    line,
    fields ? fields.user_group_id : issues?.map(({ path }) => path.join(".")),
  ]);

const id = fc.array(fc.constantFrom(..."=+-@'\"a,;é😀"), { minLength: 1, maxLength: 6 }).map((parts) => parts.join(""));
const json = fc
  .dictionary(
    fc.string({ unit: "grapheme", maxLength: 4 }),
    fc.oneof(fc.string({ unit: "grapheme", maxLength: 6 }), fc.integer()),
    {
      noNullPrototype: true,
    },
  )
  .map((value) => JSON.stringify(value));
const group = fc.record({ id, name: id, mapping: json, properties: fc.oneof(json, fc.constant("null")) });

test("rows are read exactly, wherever the file is split into pieces", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(group, { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 60 }),
      async (groups, size) => {
        const table = groups.map(({ id, name, mapping, properties }) => [id, name, mapping, properties]);
        const csv = `\uFEFF${writeCsv([["user_group_id", "name", "mapping", "properties"], ...table])}`;
        const lines = groups.map(
          ({ id, name, mapping, properties }) =>
            `{"user_group_id":${JSON.stringify(id)},"name":${JSON.stringify(name)},"mapping":${mapping},"properties":${properties}}\n`,
        );
        for (const file of [csv, lines.join("")]) {
          const rows = await rowsOf(file, size);
          expect(
            rows.map(({ fields }) => [
              fields?.user_group_id,
              fields?.name,
              fields?.mapping?.text,
              fields?.properties === null ? "null" : fields?.properties?.text,
            ]),
          ).toEqual(table);
        }
      },
    ),
    { numRuns: 300 },
  );
});

test("lines are counted as in an editor, including multi-line values and blank lines", async () => {
  const csv = 'user_group_id,mapping\r\na,"{\r\n}"\r\n\r\nb,"{""x"":1}"\r\n,,\r\nc,[]\r\nd,{},x\r\n';
  for (const size of [1, 7, 1_000]) {
    expect(summary(await rowsOf(csv, size))).toEqual([
      [2, "a"],
      [5, "b"],
      [7, ["mapping"]],
      [8, [""]],
    ]);
  }
  const jsonl =
    '{"user_group_id":"a"}\r\n\r\n{"user_group_id":1}\n[]\n{"user_group_id":"b","nme":""}\n{"user_group_id":"c"}';
  expect(summary(await rowsOf(jsonl, 5))).toEqual([
    [1, "a"],
    [3, ["user_group_id"]],
    [4, [""]],
    [5, ["nme"]],
    [6, "c"],
  ]);
});

test.each([
  ["semicolons", "user_group_id;name\na;b\n"],
  ["tabs", "user_group_id\tname\na\tb"],
  ["old Mac line ends", "user_group_id,name\ra,b\r"],
  ["blank columns at the right edge, as left by formatted cells", "user_group_id,name,,\na,b,,\n,,,\n"],
  ["Excel's separator line", "sep=;\nuser_group_id;name\na;b\n"],
  ["a quoted separator line with a byte order mark", '\uFEFF"SEP=|"\r\nuser_group_id|name\r\na|b\r\n'],
  ["a separator line with blank cells", "sep=,,\nuser_group_id,name,\na,b,\n"],
  ["rows with more blank cells than the first", "user_group_id,name,\na,b,, ,\n"],
  ["blank columns between the others and at the left edge", ",user_group_id, ,name\n,a,,b\n"],
  [
    "the additional columns of an export",
    "updated_at,user_group_id,state,name,access_ends_at,created_at,active_viewers\nx,a,suspended,b,2027-01-31,y,12\n",
  ],
])("reads %s", async (_, csv) => {
  expect((await rowsOf(csv)).map(({ fields }) => fields)).toEqual([{ user_group_id: "a", name: "b" }]);
});

test("a value in an unnamed column is an error of its row that names the column", async () => {
  const file = (cells: string) => `user_group_id,${",".repeat(26)}name\n${cells}\n`;
  const values = ["a", ...Array(25).fill(""), "stray", "b"].join(",");
  expect((await rowsOf(file(values)))[0]?.issues).toEqual([
    { path: [], message: "unreadable row: has “stray” in column AA, which the first line does not name" },
  ]);
  expect((await rowsOf("user_group_id;name\na;b;stray"))[0]).toMatchObject({
    line: 2,
    issues: [{ message: "unreadable row: has “stray” in column C, which the first line does not name" }],
  });
});

test("an Excel separator line counts as a line", async () => {
  for (const size of [1, 7, 1_000])
    expect(summary(await rowsOf("sep=;\nuser_group_id;name\na;b\nb;c;d\n", size))).toEqual([
      [3, "a"],
      [4, [""]],
    ]);
});

test("a blank value means an omitted field, null clears properties, and numbers keep their spelling", async () => {
  const rows = await rowsOf(
    'user_group_id,name,mapping,properties\na,,,\nb,,"{""n"": 1.50}",null\nc,,,"{""n"": 12345678901234567890}"\n',
  );
  expect(rows[0]?.fields).toEqual({ user_group_id: "a" });
  expect(rows[1]?.fields).toMatchObject({ mapping: { text: '{"n":1.50}' }, properties: null });
  expect(rows[2]?.issues).toEqual([{ path: ["properties"], message: expect.stringContaining("send it as a string") }]);
});

test.each([
  ["an unknown column", "user_group_id,nmae\n", "The column “nmae” is not a known field (did you mean name?)."],
  ["no id column", "name\nx\n", "The first line must name a user_group_id column."],
  ["a column twice", "user_group_id,user_group_id\n", "twice"],
  ["a JSON array", ' [{"user_group_id":"a"}]', "is a JSON array"],
  ["another encoding", new Uint8Array([0x6e, 0x61, 0xfc, 0x0a]), "is not UTF-8"],
  ["UTF-16 without a mark", Buffer.from("user_group_id\na\n", "utf16le"), "contains NUL characters"],
  ["NUL in a value", "user_group_id,name\na,b\0c\n", "contains NUL characters"],
  ["an incomplete character at the end", new Uint8Array([0x6e, 0xc3]), "is not UTF-8"],
  [
    "a quote that is never closed",
    `user_group_id,name\na,"${"x".repeat(1_100_000)}`,
    "starting in line 2 does not end",
  ],
])("refuses a file with %s", async (_, content, message) => {
  await expect(rowsOf(content, 180_000)).rejects.toThrow(message);
});

test("an escaped NUL is an error of its row", async () => {
  const rows = await rowsOf(
    '{"user_group_id":"a\\u0000"}\n{"user_group_id":"b","mapping":{"\\u0000":1}}\n{"user_group_id":"c"}\n',
  );
  expect(summary(rows)).toEqual([
    [1, [""]],
    [2, [""]],
    [3, "c"],
  ]);
});

test("unbalanced quotes are an error of their row", async () => {
  const rows = await rowsOf('user_group_id,name\na,"b"c\nd,e\n');
  expect(rows[0]?.issues).toEqual([{ path: [], message: expect.stringContaining("quotes") }]);
});
