"use client";

import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmDialog } from "@/components/confirm-dialog";
import { useAction } from "@/components/use-action";
import { askToAcceptLosses, lostWritesKey, lostWritesQuery } from "@/lib/lost-writes/queries";
import type { Loss } from "@/lib/lost-writes/schema";

/** Accepts losses that the owner has seen; a later one stays. */
export function AcceptLosses({ losses, onClose }: { losses: Loss[]; onClose: () => void }) {
  const queries = useQueryClient();
  const [ids] = useState(() => losses.map(({ id }) => id));
  const stops = losses.some((loss) => loss.stops);
  const accept = useAction({
    act: () => askToAcceptLosses(ids),
    wasDone: async () => {
      const left = await queries.fetchQuery({ ...lostWritesQuery, staleTime: 0 });
      return left.every(({ id }) => !ids.includes(id));
    },
    undone: "The alarm is still on. Try again.",
    failed: stops ? "Changes are still stopped" : "The alarm is still on",
    done: () => ({ title: stops ? "Changes are allowed again" : "The alarm was dismissed" }),
    onDone: () => {
      onClose();
      return queries.invalidateQueries({ queryKey: lostWritesKey });
    },
  });
  return (
    <ConfirmDialog
      action={accept}
      title={stops ? "Allow changes again?" : "Dismiss this alarm?"}
      description={
        <>
          {stops && "Programs and members can change user groups again, in all instances. "}
          The lost changes stay lost. This list disappears for all owners; Activity records that you have seen it.
        </>
      }
      verb={stops ? "Allow changes" : "Dismiss"}
      doing={stops ? "Allowing…" : "Dismissing…"}
      onClose={onClose}
    />
  );
}
