import { expect, test } from "vitest";
import { z } from "zod";
import { checkFields } from "@/lib/json/fields";

const group = z.strictObject({
  user_group_id: z.string(),
  name: z.string().optional(),
  mapping: z.unknown().optional(),
  properties: z.unknown().optional(),
});
const rotation = z.strictObject({ current_token: z.string() });

test.each([
  [group, { provided_id: "a" }, /called user_group_id here/],
  [group, { group_id: "a" }, /called user_group_id here/],
  [group, { end_user_group_id: "a" }, /called user_group_id here/],
  [group, { customer_id: 1 }, /called user_group_id here/],
  [group, { customerId: 1 }, /called user_group_id here/],
  [group, { parent_schema_datasource_mapping: {} }, /called mapping here/],
  [group, { is_demo_group: true }, /Testing environment/],
  [group, { isDemoGroup: true }, /Testing environment/],
  [group, { emails: [] }, /people are not stored/],
  [group, { permissions: {} }, /people are not stored/],
  [group, { group_tags: [] }, /tags into properties/],
  [group, { access_groups: [] }, /API token's environment/],
  [group, { parent_provided_id: "a" }, /no parents/],
  [group, { userGroupId: "a" }, /did you mean user_group_id\?/],
  [group, { userGroupID: "a" }, /did you mean user_group_id\?/],
  [group, { proprties: {} }, /did you mean properties\?/],
  [rotation, { customer_token: "a" }, /called current_token here/],
  [rotation, { currentToken: "a" }, /did you mean current_token\?/],
  [rotation, { provided_id: "a" }, /The fields are current_token/],
  [group, { constructor: 1 }, /The fields are user_group_id, name, mapping, properties/],
])("%#: %o of another API is answered with what to send", (schema, members, says) => {
  const [name = ""] = Object.keys(members);
  const issue = checkFields(members, schema).issues?.find(({ path }) => path[0] === name);
  expect(issue).toEqual({ path: [name], message: expect.stringMatching(says) });
});
