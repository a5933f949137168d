import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020";
import addFormats from "ajv-formats";
import { expect, test } from "vitest";
import type {
  EnvironmentTag,
  FoundGroup,
  GroupRequest,
  Refusal,
  RefusalCode,
  RotatedGroup,
  UpdatedGroup,
  Viewer,
} from "@/clients/typescript/src/client";

// Compares the TypeScript client's types with the committed description.
const api = JSON.parse(readFileSync("docs/openapi.json", "utf8"));
const ajv = addFormats.default(new Ajv2020({ strict: false }));
ajv.addSchema(api, "api");
const fits = (schema: string, value: unknown) => ajv.validate({ $ref: `api#/components/schemas/${schema}` }, value);

const group = { team_id: 3, token: "ugt_a", name: "Example", provided_id: "example_1" };
const ANSWERS: [schema: string, answer: object][] = [
  [
    "FoundUserGroup",
    { success: 1, new_user_group: true, user_group: { ...group, properties: null } } satisfies FoundGroup,
  ],
  [
    "UpdatedUserGroup",
    {
      success: 1,
      user_group: { ...group, properties: { plan: ["pro", 1, null] }, api_environment_tag: "Customer" },
    } satisfies UpdatedGroup,
  ],
  ["RotatedUserGroup", { success: 1, user_group: { ...group, api_environment_tag: "Testing" } } satisfies RotatedGroup],
  ["Viewer", { success: 1, active: false } satisfies Viewer],
  [
    "Viewer",
    {
      success: 1,
      active: true,
      user_group: {
        ...{ team_id: 3, name: "Example", provided_id: "example_1" },
        ...{ mapping: { 40: "213" }, properties: null, api_environment_tag: "Testing" },
      },
    } satisfies Viewer,
  ],
  [
    "Failure",
    {
      success: 0,
      error: { code: "unavailable", message: "m", request_id: "0b9d6c1e-5c1f-4c4b-9c39-2f1d7c6f0a55" },
    } satisfies Refusal,
  ],
];

test.each(ANSWERS)(
  "the answer %s has the members that the client's type has: no more, and no fewer",
  (schema, answer) => {
    expect(fits(schema, answer), ajv.errorsText()).toBe(true);
    for (const smaller of withoutEach(answer)) expect(fits(schema, smaller), JSON.stringify(smaller)).toBe(false);
  },
);

test("the client's requests are described, and only the id is required", () => {
  const request = { user_group_id: "a", name: "n", mapping: {}, properties: {} } satisfies Required<GroupRequest>;
  expect(Object.keys(api.components.schemas.UserGroupRequest.properties)).toEqual(Object.keys(request));
  const cleared: GroupRequest = { user_group_id: "a", properties: null };
  for (const sent of [request, cleared]) expect(fits("UserGroupRequest", sent), ajv.errorsText()).toBe(true);
  expect(api.components.schemas.UserGroupRequest.required).toEqual(["user_group_id"]);
  expect(fits("TokenRotation", { current_token: "ugt_a" })).toBe(true);
  expect(fits("ViewerQuestion", { token: "ugt_a" })).toBe(true);
});

test("the client knows exactly the existing codes and tags", () => {
  const { Failure, UpdatedUserGroup } = api.components.schemas;
  const codes: Record<RefusalCode, true> = {
    ...{ bad_request: true, invalid_json: true, body_missing: true, unauthorized: true, forbidden: true },
    ...{ not_found: true, unknown_user_group: true, unknown_token: true, method_not_allowed: true },
    ...{
      request_timeout: true,
      conflict: true,
      too_many_deletions: true,
      idempotency_conflict: true,
      stale: true,
      body_too_large: true,
    },
    ...{ unsupported_media_type: true, invalid_fields: true, rate_limited: true, headers_too_large: true },
    ...{ not_implemented: true, internal: true, unavailable: true },
  };
  expect(Failure.properties.error.properties.code.enum.toSorted()).toEqual(Object.keys(codes).toSorted());
  const tags: Record<EnvironmentTag, true> = { Customer: true, Testing: true };
  expect(UpdatedUserGroup.properties.user_group.properties.api_environment_tag.enum).toEqual(Object.keys(tags));
});

/** The value without each one of its members, at any depth; the content of `mapping` and `properties` is free. */
function* withoutEach(value: object): Generator<object> {
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>;
    yield rest;
    if (typeof member !== "object" || member === null || ["mapping", "properties"].includes(name)) continue;
    for (const smaller of withoutEach(member)) yield { ...value, [name]: smaller };
  }
}
