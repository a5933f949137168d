import { ChangedParts } from "@/components/changes/changed-parts";
import { definitionParts } from "@/components/definitions/definition-changes";

export interface DefinitionDiffProps {
  /** JSON text */
  before: string;
  after: string;
}

/** What differs between two definitions. */
export function DefinitionDiff({ before, after }: DefinitionDiffProps) {
  const parts = definitionParts(before, after);
  return parts.length > 0 ? <ChangedParts parts={parts} /> : <p className="text-text-muted">Nothing changes.</p>;
}
