"use client";

import { ChangedParts } from "@/components/activity/changed-parts";
import type { ChangedPart } from "@/components/activity/changes";
import type { Compared } from "@/components/comparison/compare-page";
import { Legend } from "@/components/comparison/part-difference";
import { changeOf } from "@/components/comparison/part-words";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import type { ComparedGroup } from "@/lib/comparison/queries";
import { differencesOf } from "@/lib/json/differences";

interface GroupDifferenceProps extends Compared {
  group: ComparedGroup;
  onClose: () => void;
}

/** How a group differs between two environments. */
export function GroupDifference({ group, here, there, onClose }: GroupDifferenceProps) {
  return (
    <Dialog wide open onOpenChange={(open) => !open && onClose()} title={`Differences of ${group.providedId}`}>
      <Legend here={here} there={there} />
      <ChangedParts parts={partsOf(group)} sides={[there.name, here.name]} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}

/** As the comparison sees it: by what the members say, not by how they are written. */
function partsOf({ here, there }: ComparedGroup): ChangedPart[] {
  if (!here || !there) return [];
  const part = (label: string, before: string | null, after: string | null): ChangedPart => ({
    label,
    changes:
      before === null || after === null
        ? [{ key: undefined, before: before ?? undefined, after: after ?? undefined }]
        : differencesOf(before, after).map(changeOf),
    isOrderOnly: false,
  });
  const parts = [
    part("Name", JSON.stringify(there.name), JSON.stringify(here.name)),
    part("Mapping", there.mapping, here.mapping),
    ...(there.properties === here.properties ? [] : [part("Properties", there.properties, here.properties)]),
    part("State", JSON.stringify(there.state), JSON.stringify(here.state)),
  ];
  return parts.filter(({ changes }) => changes.length > 0);
}
