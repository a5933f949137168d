import { describe, expect, it } from "vitest";
import { formerFields } from "@/components/activity/former-fields";

const state = (properties: string | null, mapping = "{}", name = "Acme") =>
  ({ kind: "group", providedId: "acme", name, mapping, properties }) as const;

describe("formerFields", () => {
  it("restores exact texts if nothing has changed since", () => {
    const [before, after] = [state('{"b":1.10,"a":1}'), state('{"a":2,"b":1.10}', '{"1":"2"}', "Acme AG")];
    const { fields, changedSince } = formerFields(before, after, after);
    expect(changedSince).toEqual([]);
    expect(fields.name).toBe("Acme");
    expect(fields.mapping?.text).toBe("{}");
    expect(fields.properties?.text).toBe('{"b":1.10,"a":1}');
  });

  it("restores only what the change touched", () => {
    const now = state('{"plan":"pro","seats":9007199254740993,"new":true}');
    const { fields, changedSince } = formerFields(
      state('{"plan":"free","gone":[1]}'),
      state('{"plan":"pro","new":true}'),
      now,
    );
    expect(changedSince).toEqual([]);
    expect(fields).toEqual({
      properties: { text: '{"plan":"free","seats":9007199254740993,"gone":[1]}', kind: "object" },
    });
  });

  it("names fields changed since", () => {
    const now = state('{"plan":"enterprise"}', "{}", "Acme SE");
    const { changedSince } = formerFields(state('{"plan":"free"}'), state('{"plan":"pro"}', "{}", "Acme AG"), now);
    expect(changedSince).toEqual(["name", "plan"]);
  });

  it("leaves alone what has been undone since", () => {
    const [before, after] = [state('{"plan":"free"}'), state('{"plan":"pro"}', "{}", "Acme AG")];
    expect(formerFields(before, after, before)).toEqual({ fields: {}, changedSince: [] });
  });

  it("restores the absence of properties", () => {
    const after = state('{"plan":"pro"}');
    expect(formerFields(state(null), after, after).fields).toEqual({ properties: { text: "null", kind: "scalar" } });
  });
});
