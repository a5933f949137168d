import { ChangedParts } from "@/components/activity/changed-parts";
import type { Compared } from "@/components/comparison/compare-page";
import { changesIn } from "@/components/comparison/part-words";
import type { ComparedPart } from "@/lib/comparison/queries";

/** What two environments have of a part, as copying would change it. */
export function PartDifference({ part, here, there }: Compared & { part: ComparedPart }) {
  return <ChangedParts parts={changesIn(part)} sides={[there.name, here.name]} />;
}

/** Which sign is which environment. */
export function Legend({ here, there }: Compared) {
  return (
    <p className="break-words text-text-muted text-xs">
      <span className="font-mono">−</span> {there.name} · <span className="font-mono">+</span> {here.name}
    </p>
  );
}
