import { expect, test } from "vitest";
import { entityTags } from "@/lib/groups/group";

test.each([
  ['"3-2"', ["3-2"]],
  ['W/"3-2"', ["3-2"]],
  ['"3-2-gzip"', ["3-2"]],
  ['W/"3-21-gzip", "4-1;br"', ["3-21", "4-1"]],
  ['"d-7--zstd"', ["d-7"]],
  ['W/"s-9f86d081884c7d659a2feaa0c55ad015-gzip"', ["s-9f86d081884c7d659a2feaa0c55ad015"]],
  ['"x", "3-2"', ["3-2"]],
  ["*", undefined],
  [undefined, undefined],
  ["3-2", []],
  ['"3"', []],
  ["", []],
])("If-Match: %s names the versions %j", (header, versions) => {
  expect(entityTags(header)).toEqual(versions);
});
