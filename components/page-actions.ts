import { useEffect } from "react";

/** What a menu of the open page can do, which the palette offers too. */
export interface PageAction {
  label: string;
  run: () => void;
}

const offered = new Set<PageAction[]>();

/** Offers actions in the palette while the component is shown. */
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
