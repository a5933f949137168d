import { compile, visibleByDefinition } from "@/lib/definitions/check";
import { type Definitions, sourcesByName } from "@/lib/definitions/schema";
import type { Group } from "@/lib/groups/queries";
import { memberTexts } from "@/lib/json/exact-json";
import { stringIn } from "@/lib/json/exact-value";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

/** A property or schema id of a group. */
export interface ValueName {
  part: "properties" | "mapping";
  name: string;
  /** for display */
  label: string;
}

/** A property or schema with the group's value, and whether viewer tokens contain it. */
export interface VisibleValue extends ValueName {
  /** for display; undefined if the group has none */
  value: string | undefined;
  isVisible: boolean;
  /** whether a rule makes it visible, whatever the settings say */
  isRuled: boolean;
}

interface Known {
  visible: ViewerSettings["visible"];
  definitions: Definitions;
  /** names to list even if the group has no value */
  others?: ViewerSettings["visible"];
}

/** The values of a group, visible ones first. */
export function valuesOf(
  { properties, mapping }: Pick<Group, "properties" | "mapping">,
  { visible, definitions, others }: Known,
): VisibleValue[] {
  const { schemas, data_sources } = definitions;
  const sources = sourcesByName(data_sources);
  const ruled = visibleByDefinition(definitions);
  const list = (part: ValueName["part"], text: string, { labelOf, wordsFor }: Words) => {
    const own = new Map(memberTexts(text).filter(([, value]) => value !== "null"));
    return [...new Set([...own.keys(), ...(others?.[part] ?? [])])].map((name): VisibleValue => {
      const given = own.get(name);
      const isRuled = part === "properties" && ruled.includes(name);
      return {
        part,
        name,
        label: labelOf(name),
        value: given && wordsFor(stringIn(given) ?? given),
        isVisible: isRuled || visible[part].includes(name),
        isRuled,
      };
    });
  };
  return [
    ...list("properties", compile(definitions).variables(properties).text, {
      labelOf: (name) => name || '""',
      wordsFor: (value) => value,
    }),
    ...list("mapping", mapping, {
      labelOf: (id) => schemas[id]?.name ?? `Schema ${id}`,
      wordsFor: (id) => sources.get(id)?.name ?? id,
    }),
  ].toSorted((one, other) => Number(other.isVisible) - Number(one.isVisible));
}

interface Words {
  labelOf: (name: string) => string;
  wordsFor: (value: string) => string;
}
