import { useEffect } from "react";

/** An action in a menu of the open page, which the palette offers too. */
export interface PageAction {
  label: string;
  run: () => void;
}

const offered = new Set<PageAction[]>();

/** Offers actions in the palette while the component is mounted. */
export function usePageActions(actions: PageAction[]) {
  useEffect(() => {
    offered.add(actions);
    return () => {
      offered.delete(actions);
    };
  });
}

export function pageActions(): PageAction[] {
  return [...offered].flat();
}
