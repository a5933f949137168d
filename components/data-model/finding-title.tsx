import { wordsOfFinding } from "@/components/groups/finding-words";
import type { HealthFinding } from "@/lib/definitions/findings-schema";
import type { StoredDefinitions } from "@/lib/definitions/queries";
import type { Definitions } from "@/lib/definitions/schema";

interface FindingTitleProps {
  finding: HealthFinding;
  /** names of schemas, by id */
  schemas: ReadonlyMap<string, string> | undefined;
}

/** A finding in words, with the name of the property, or the name and the id of the schema. */
export function FindingTitle({ finding, schemas }: FindingTitleProps) {
  const { member, name } = finding;
  if (name === null) return <span className="font-medium">{wordsOfFinding(finding)}</span>;
  const schema = member === "mapping" ? schemas?.get(name) : undefined;
  return (
    <>
      {schema && <span className="font-medium">{schema} </span>}
      {member === "mapping" && <span className="text-text-secondary">{schema ? "schema " : "Schema "}</span>}
      <code className="break-all font-medium font-mono text-xs">{name === "" ? '""' : name}</code>{" "}
      <span className="text-text-secondary">{wordsOfFinding(finding)}</span>
    </>
  );
}

/** The names of defined schemas, by id. */
export function schemaNamesOf({ text }: StoredDefinitions): Map<string, string> {
  const { schemas }: Pick<Definitions, "schemas"> = JSON.parse(text);
  return new Map(Object.entries(schemas).flatMap(([id, { name }]) => (name === null ? [] : [[id, name]])));
}
