import { expect, test } from "vitest";
import { remarkIn } from "./cell-fault";
import { type ColumnTarget, type ForeignTable, readForeignTable, writeTable } from "./foreign-table";
import { guessTargets, knownMembers } from "./guess-columns";
import { type FileRow, readFile } from "./read-file";

const read = (content: string | Uint8Array<ArrayBuffer>) => readForeignTable(new File([content], "customers.csv"));

async function tableOf(content: string | Uint8Array<ArrayBuffer>): Promise<ForeignTable> {
  const table = await read(content);
  if (!table) throw new Error("read as it is");
  return table;
}

const NOTHING = knownMembers({ properties: [] }, "{}");

/** What the service reads of the table once it is written. */
async function written(
  table: ForeignTable,
  { targets = guessTargets(table, NOTHING, {}), removesBlank = false } = {},
): Promise<FileRow[]> {
  const rows: FileRow[] = [];
  const bytes = new TextEncoder().encode(writeTable(table, { targets, removesBlank }).join(""));
  async function* whole() {
    yield bytes;
  }
  for await (const row of readFile(whole())) rows.push(row);
  return rows;
}

const summaryOf = (rows: FileRow[]) =>
  rows.map(({ line, fields, issues }) => [
    line,
    fields?.user_group_id,
    fields?.name,
    fields?.properties?.text ?? issues?.map(({ message }) => remarkIn(message) ?? message),
  ]);

test("a table with semicolons, a byte order mark and line breaks in cells keeps its lines", async () => {
  const table = await tableOf(
    '\uFEFFsep=;\r\nCustomer ID;Company;Notes;Seats\r\n a-1 ;"Acme\r\nGmbH";"first\r\nsecond";40\r\n\r\nb;Bear;;ten\r\n=c;;x;7\r\n',
  );
  const targets = guessTargets(table, NOTHING, {}).with(3, { to: "property", key: "seats", type: "number" });
  expect(summaryOf(await written(table, { targets }))).toEqual([
    [3, "a-1", "Acme GmbH", '{"Notes":"first\\r\\nsecond","seats":40}'],
    [7, undefined, undefined, ["seats “ten” is not a number"]],
    [8, "=c", undefined, '{"Notes":"x","seats":7}'],
  ]);
});

test("a row names only what its table does, and blank cells remove a value only on request", async () => {
  const table = await tableOf("id,plan,40\na,pro,\nb,,213\n");
  const targets: ColumnTarget[] = [
    { to: "id", key: "", type: "string" },
    { to: "property", key: "plan", type: "string" },
    { to: "schema", key: "40", type: "string" },
  ];
  const members = async (removesBlank: boolean) =>
    (await written(table, { targets, removesBlank })).map(({ fields }) => [
      fields?.mapping?.text,
      fields?.properties?.text,
    ]);
  expect(await members(false)).toEqual([
    [undefined, '{"plan":"pro"}'],
    ['{"40":"213"}', undefined],
  ]);
  expect(await members(true)).toEqual([
    ['{"40":null}', '{"plan":"pro"}'],
    ['{"40":"213"}', '{"plan":null}'],
  ]);
});

test.each([
  ["what the service reads itself", "user_group_id,name,created_at\na,A,2026-01-01\n"],
  ["JSON lines", '{"user_group_id":"a"}\n'],
  ["a head without rows", "id,plan\n"],
  ["nothing", ""],
  ["an image", "\x89PNG\r\n\0\0"],
])("%s is sent as it is", async (_what, content) => {
  expect(await read(content)).toBeUndefined();
});

test("a table in the encodings of Excel is read, and unbalanced quotes are an error of their row", async () => {
  const ansi = await tableOf(new Uint8Array([..."id,name\na,M\xfcller\n"].map((letter) => letter.charCodeAt(0))));
  expect([ansi.encoding, ansi.rows[0]?.cells]).toEqual(["Windows-1252", ["a", "Müller"]]);
  const wide = await tableOf(
    new Uint8Array(Uint16Array.from([..."\uFEFFid\tname\na\tŁ\n"].map((one) => one.charCodeAt(0))).buffer),
  );
  expect([wide.encoding, wide.rows[0]?.cells]).toEqual(["UTF-16", ["a", "Ł"]]);
  const [, row] = await written(await tableOf('id,plan\na,pro\nb,"pro" x\n'));
  expect(row?.issues?.map(({ message }) => remarkIn(message))).toContain("“Unbalanced quotes” in this row");
});

test("columns are guessed by earlier choices, by names, by what groups have, and by values", async () => {
  const table = await tableOf(
    "customerId,Company name,PLAN,orders,active,remarks,,empty\na,A,1,213,TRUE,x,stray,\nb,B,2,,false,y,,\n",
  );
  const targetsOf = (known = NOTHING, chosen = {}) =>
    guessTargets(table, known, chosen).map(({ to, key, type }) => (to === "property" ? `${key}: ${type}` : to));
  expect(table.columns.map(({ name }) => name)).toContain("Column 7");
  expect(targetsOf()).toEqual([
    "id",
    "name",
    "PLAN: number",
    "orders: number",
    "active: boolean",
    "remarks: string",
    "Column 7: string",
    "empty: string",
  ]);
  const known = knownMembers(
    { properties: [{ name: "plan", groups: 1, values: [{ value: "1", groups: 1 }] }] },
    '{"properties":{"active":{"type":"string"}},"schemas":{"40":{"name":"Orders"}}}',
  );
  expect(targetsOf(known, { remarks: { to: "property", key: "note", type: "json" } })).toEqual([
    "id",
    "name",
    "plan: string",
    "schema",
    "active: string",
    "note: json",
    "nothing",
    "nothing",
  ]);
});
