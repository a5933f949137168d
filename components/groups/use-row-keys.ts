import { useEffect, useEffectEvent } from "react";
import type { RowActions } from "@/components/groups/group-row";
import type { SelectedGroups } from "@/components/groups/selection";
import { isCovered, isTyping } from "@/components/keys";
import type { Group } from "@/lib/groups/queries";

interface RowKeys {
  groups: Group[] | undefined;
  selected: SelectedGroups;
  canWrite: boolean;
  actions: RowActions;
}

const rows = () => [...document.querySelectorAll<HTMLElement>("tr[data-team]")];

/** The row with the focus, else the one under the mouse. */
function currentRow(): HTMLElement | null {
  return document.activeElement?.closest<HTMLElement>("tr[data-team]") ?? document.querySelector("tr[data-team]:hover");
}

/** The arrow keys move through the rows, x selects, c copies the token and e the embed configuration. */
export function useRowKeys(keys: RowKeys) {
  const current = useEffectEvent(() => keys);
  useEffect(() => {
    /** the row that had the focus last, where the arrow keys continue */
    let last: string | undefined;
    const move = (by: 1 | -1) => {
      const all = rows();
      const at = all.findIndex((row) => row === currentRow() || (!currentRow() && row.dataset.team === last));
      const next = at === -1 ? all[0] : all[at + by];
      next?.querySelector<HTMLElement>("a")?.focus();
      next?.scrollIntoView({ block: "nearest" });
      last = next?.dataset.team ?? last;
    };
    const onKey = (event: KeyboardEvent) => {
      const { key, target, shiftKey } = event;
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey || isTyping(target) || isCovered())
        return;
      const isInRow = target instanceof Element && target.closest("tr[data-team]") !== null;
      const isAnywhere = target === document.body || (target instanceof Element && target.id === "content");
      if (key === "ArrowDown" || key === "ArrowUp") {
        if (!isInRow && !isAnywhere) return;
        event.preventDefault();
        return move(key === "ArrowDown" ? 1 : -1);
      }
      const { groups, selected, canWrite, actions } = current();
      const teamId = Number(currentRow()?.dataset.team);
      const group = groups?.find((one) => one.teamId === teamId);
      if (!group) return;
      if (key.toLowerCase() === "x") actions.select(group, { on: !selected.has(teamId), isRange: shiftKey });
      else if (key === "c" && canWrite) actions.copy(group, "token");
      else if (key === "e" && canWrite) actions.copy(group, "embed");
      else return;
      event.preventDefault();
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
