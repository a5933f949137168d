import { describe, expect, test } from "vitest";
import { unknownField } from "@/lib/json/fields";

const GROUP = ["user_group_id", "name", "mapping", "properties"];

describe("a field of another API", () => {
  test.each([
    ["provided_id", "is user_group_id here"],
    ["customer_id", "is user_group_id here"],
    ["userGroupId", "is user_group_id here"],
    ["userGroupID", "is user_group_id here"],
    ["endUserGroupId", "is user_group_id here"],
    ["computed_properties", "is properties here"],
    ["attributes", "is properties here"],
    ["hierarchy_level_name", "is not a field here: keep it in properties"],
    ["new_provided_id", "is not a field here: a user_group_id cannot change"],
    ["data_source_id", "is a member of mapping here: schema ids to data source ids"],
    ["is_demo_group", "is not a field here: use an environment tagged Testing, or keep it in properties"],
    ["group_tags", "is not a field here: keep it in properties"],
    ["emails", "is not a field here: keep it in properties"],
  ])("%s: %s", (key, hint) => expect(unknownField(key, GROUP)).toBe(hint));

  test("is pointed at only where the field that is meant can be sent", () => {
    expect(unknownField("provided_id", ["current_token"])).toContain("The fields are current_token");
    expect(unknownField("customerToken", ["current_token"])).toBe("is current_token here");
    expect(unknownField("constructor", GROUP)).toContain("is not a known field");
    expect(unknownField("propertys", GROUP)).toContain("did you mean properties?");
  });
});
