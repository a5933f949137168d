import { expect, test } from "vitest";
import { anyone } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { routesOf } from "@/lib/endpoint/routes";

const answering = (body: string) => ({
  GET: endpoint({ access: anyone, handle: () => ({ status: 200, headers: {}, body }) }),
});
const routes = routesOf({
  "/things": answering("all"),
  "/things/[id]": answering("one"),
  "/things/[id]/parts/[n]": answering("part"),
  "/things/export": answering("export"),
  "/rest/[...all]": answering("rest"),
});

test.each([
  ["/things", "/things", {}],
  ["/things/7", "/things/[id]", { id: "7" }],
  ["/things/7/parts/2", "/things/[id]/parts/[n]", { id: "7", n: "2" }],
  ["/things/export", "/things/export", {}],
  ["/rest/a/b", "/rest/[...all]", { all: "a/b" }],
])("%s matches %s", (path, spelt, parameters) => {
  const found = routes.find(path);
  expect(found?.path).toBe(spelt);
  expect({ ...found?.parameters }).toEqual(parameters);
  expect(found?.methods).toEqual(routes.named(spelt));
});

test.each(["/", "/thing", "/things/", "/things/7/parts", "/things/7/8", "/rest", "/rest/", "x/things"])(
  "%s matches nothing",
  (path) => {
    expect(routes.find(path)).toBeUndefined();
  },
);
