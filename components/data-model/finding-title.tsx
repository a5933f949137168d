import { wordsOfFinding } from "@/components/groups/finding-words";
import type { HealthFinding } from "@/lib/definitions/findings-schema";

/** A finding in words, with the name of the property or the id of the schema. */
export function FindingTitle({ finding }: { finding: HealthFinding }) {
  const { member, name } = finding;
  if (name === null) return <span className="font-medium">{wordsOfFinding(finding)}</span>;
  return (
    <>
      {member === "mapping" && "Schema "}
      <code className="break-all font-medium font-mono text-xs">{name === "" ? '""' : name}</code>{" "}
      <span className="text-text-secondary">{wordsOfFinding(finding)}</span>
    </>
  );
}
