import { expect, expectError, newId } from "../fixtures/api";
import { claimsOf, test } from "../fixtures/viewer-place";

test("allowed origins of the environment, or the group's own, are in the claims and in both answers", async ({
  place,
}) => {
  const group = await place.group();
  const origins = async () => {
    const token = await place.mint({ token: group.token });
    const [plain, signed] = await Promise.all([place.ask(group.token), place.ask(token)]);
    expect(signed.json.allowed_origins).toEqual(plain.json.allowed_origins);
    expect(claimsOf(token).origins).toEqual(plain.json.allowed_origins);
    return plain.json.allowed_origins;
  };
  const own = (allowed_origins: string[] | null) =>
    place.send("PUT", "/api/user-groups/allowed-origins", { user_group_id: group.provided_id, allowed_origins });
  expect(await origins()).toBeUndefined();
  await place.set({ allowed_origins: ["https://app.example.com", "https://*.example.org:8443"] });
  expect(await origins()).toEqual(["https://app.example.com", "https://*.example.org:8443"]);
  expect((await own(["http://localhost:3000"])).json).toEqual({
    success: 1,
    allowed_origins: ["http://localhost:3000"],
    effective_origins: ["http://localhost:3000"],
  });
  expect(await origins()).toEqual(["http://localhost:3000"]);
  await place.send("DELETE", "/api/user", { user_group_id: group.provided_id });
  await place.send("POST", "/api/user-groups/restore", { user_group_id: group.provided_id });
  expect(await origins()).toEqual(["http://localhost:3000"]);
  expect((await own([])).json.effective_origins).toEqual([]);
  expect((await own(null)).json.effective_origins).toHaveLength(2);
  for (const wrong of [
    "https://a.example/path",
    "HTTPS://A.EXAMPLE",
    "ftp://a",
    "*",
    "https://a.example;script",
    `https://${"a.".repeat(140)}b`,
  ]) {
    expectError(await own([wrong]), 422, "invalid_fields");
  }
  expectError(
    await place.send("PUT", "/api/user-groups/allowed-origins", { user_group_id: newId(), allowed_origins: null }),
    404,
    "unknown_user_group",
  );
});

test("settings are replaced as a whole, apply to both instances immediately, and are recorded", async ({ place }) => {
  const group = await place.group({ properties: { plan: "pro" } });
  for (let round = 0; round < 5; round++) {
    const { json: set } = await place.set({ visible: { properties: ["plan"] }, audience: `a${round}` });
    expect(set.settings.visible).toEqual({ properties: ["plan"], mapping: [] });
    for (const service of [1, 0] as const) {
      const claims = claimsOf(await place.mint({ token: group.token }, service));
      expect(claims).toMatchObject({ aud: `a${round}`, variables: { plan: "pro" } });
    }
  }
  const { json } = await place.set({});
  const nothing = { visible: { properties: [], mapping: [] }, audience: null, preview_url: null };
  expect(json.settings).toEqual({ ...nothing, allowed_origins: null, templates: {} });
  expect((await place.send("GET", "/api/viewer-settings")).json).toEqual(json);
  const history = await place.send("GET", "/api/user-groups/history?action=environment.viewer_settings_changed");
  expect(history.json.entries).toHaveLength(6);
  const preview = "must contain {{viewerToken}} once";
  for (const [body, message] of [
    [{ preview_url: "https://a.example/?t={{viewerToken}}" }, preview],
    [{ preview_url: "https://a.example/#x" }, preview],
    [{ preview_url: "javascript:alert(1)#{{viewerToken}}" }, "must be an http or https URL"],
    [{ templates: { cube: { claims: { exp: 1 } } } }, "is a claim of every viewer token"],
    [{ templates: { cube: { claims: { a: ["{{nme}}"] } } } }, "unknown placeholder {{nme}}"],
    [{ templates: { cube: { claims: { a: JSON.parse('{"__proto__":1}') } } } }, "must not have a member __proto__"],
    [{ templates: { No: { claims: {} } } }, "lower-case letters"],
    [{ visible: { properties: "plan" } }, "must be a list of names of properties"],
    [{ visable: {} }, "did you mean visible"],
  ] as const) {
    expect(expectError(await place.send("PUT", "/api/viewer-settings", body), 422, "invalid_fields").text).toContain(
      message,
    );
  }
});
