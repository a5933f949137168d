import { describe, expect, test } from "vitest";
import { unknownField } from "@/lib/json/fields";

const GROUP = ["user_group_id", "name", "mapping", "properties"];

describe("a field of another API", () => {
  test.each([
    ["provided_id", "send user_group_id"],
    ["customer_id", "send user_group_id"],
    ["customerId", "send user_group_id"],
    ["endUserGroupID", "send user_group_id"],
    ["new_provided_id", "send new_user_group_id with PATCH /api/user"],
    ["computed_properties", "send properties"],
    ["attributes", "send properties"],
    ["hierarchy_level_name", "keep it in properties"],
    ["data_source_id", "send it as a member of mapping, which maps schema ids to data source ids"],
    ["is_demo_group", "use an environment tagged Testing, or keep it in properties"],
    ["group_tags", "keep it in properties"],
    ["emails", "keep it in properties"],
  ])("%s: %s", (key, hint) => expect(unknownField(key, GROUP)).toBe(`is not a known field: ${hint}`));

  test("gets a hint only if the right field can be sent", () => {
    expect(unknownField("provided_id", ["current_token"])).toContain("The fields are current_token");
    expect(unknownField("customerToken", ["current_token"])).toBe("is not a known field: send current_token");
    expect(unknownField("userGroupId", GROUP)).toContain("did you mean user_group_id?");
    expect(unknownField("constructor", GROUP)).toContain("is not a known field");
    expect(unknownField("propertys", GROUP)).toContain("did you mean properties?");
  });
});
