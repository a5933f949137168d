import { call, expect, expectError, expectNothingChanged, newId, test } from "../fixtures/api";

const withProperties = (id: string, properties: string) => `{"user_group_id":"${id}","properties":${properties}}`;
const sized = (length: number) => `{"a":"${"x".repeat(length - 8)}"}`;
const many = (count: number) =>
  `{${Array.from({ length: count }, (_, index) => `"${index.toString(36)}":0`).join(",")}}`;

const accepted = {
  "7,000 keys": many(7_000),
  "one value of 60 KiB": sized(61_440),
  "one key of 60 KiB": `{"${"k".repeat(61_440)}":1}`,
  "64 KiB": sized(65_536),
};

for (const [title, properties] of Object.entries(accepted)) {
  test(`properties of ${title} are kept exactly`, async () => {
    const { text, status } = await call("GET", "/api/user", { body: withProperties(newId(), properties) });
    expect(status).toBe(200);
    expect(text).toContain(`"properties":${properties}`);
  });
}

test("white space between tokens does not count", async () => {
  const body = withProperties(newId(), `{"a" : ${" ".repeat(100_000)} [ ] }`);
  const { text } = await call("GET", "/api/user", { body });
  expect(text).toContain('"properties":{"a":[]}');
});

for (const [title, properties] of Object.entries({
  "64 KiB and a byte": sized(65_537),
  "65 KiB": sized(66_560),
  "64 KiB in characters, a byte more in UTF-8": sized(65_536).replace("x", "é"),
  "10,000 keys, 80 KiB": many(10_000),
})) {
  for (const member of ["mapping", "properties"]) {
    test(`${member} of ${title}: 422`, async ({ database }) => {
      const id = newId();
      await expectNothingChanged(database, id, async () => {
        const body = withProperties(id, properties).replace("properties", member);
        for (const method of ["GET", "PUT"]) {
          const { json } = expectError(await call(method, "/api/user", { body }), 422, "invalid_fields");
          expect(json.error.issues).toEqual([{ path: [member], message: "must have at most 64 KiB" }]);
        }
      });
    });
  }
}

test("a body over 256 KiB: 413", async ({ database }) => {
  const id = newId();
  await expectNothingChanged(database, id, async () => {
    const body = withProperties(id, sized(262_144));
    expectError(await call("GET", "/api/user", { body }), 413, "body_too_large");
  });
});

for (const [title, properties] of Object.entries({
  ...accepted,
  "10,000 keys": many(10_000),
  "40,000 empty arrays": `{"a":[${"[],".repeat(40_000)}0]}`,
  "200,000 line breaks": `{"a":[${"\n".repeat(200_000)}]}`,
  "100,000 escapes": `{ "a":"${'\\"'.repeat(100_000)}"}`,
  "a number of 250,000 digits": `{"a":0.1${"0".repeat(250_000)}1}`,
})) {
  test(`properties of ${title} are processed in linear time`, async () => {
    const start = performance.now();
    for (let round = 0; round < 8; round++)
      await call("PUT", "/api/user", { body: withProperties("none", properties) });
    // Quadratic time would be minutes.
    expect(performance.now() - start).toBeLessThan(20_000);
  });
}
