import { useState } from "react";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import type { ValueName } from "@/components/viewer-tokens/visible-values";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

/** A value to show to viewers, or to hide from them. */
interface VisibleChange extends ValueName {
  isVisible: boolean;
}

/** What viewer tokens contain after these changes. */
export function changedVisible(
  visible: ViewerSettings["visible"],
  changes: VisibleChange[],
): ViewerSettings["visible"] {
  const namesAfter = (part: ValueName["part"]) => {
    const names = new Set(visible[part]);
    for (const { name, isVisible } of changes.filter((change) => change.part === part)) {
      if (isVisible) names.add(name);
      else names.delete(name);
    }
    return [...names];
  };
  return { properties: namesAfter("properties"), mapping: namesAfter("mapping") };
}

export type VisibleDraft = ReturnType<typeof useVisibleDraft>;

/** Unsaved changes to what viewer tokens contain. Saving them keeps everything that others have set. */
export function useVisibleDraft({ visible }: ViewerSettings) {
  const [toggled, setToggled] = useState<VisibleChange[]>([]);
  const changes = toggled.filter(({ part, name, isVisible }) => visible[part].includes(name) !== isVisible);
  // Drops changes already saved here or by others, so that a later change of theirs does not look like ours.
  if (changes.length < toggled.length) setToggled(changes);
  const saving = useSettingChange<VisibleChange[]>({
    change: (wanted, now) => ({ visible: changedVisible(now.visible, wanted) }),
    done: "The visible properties were saved",
  });
  return {
    changes,
    visible: changedVisible(visible, changes),
    set({ part, name, label }: ValueName, isVisible: boolean) {
      setToggled((now) => [
        ...now.filter((one) => one.part !== part || one.name !== name),
        { part, name, label, isVisible },
      ]);
      if (saving.state === "ready") saving.forget();
    },
    discard() {
      setToggled([]);
      saving.forget();
    },
    save: () => saving.run(changes),
    isSaving: saving.state !== "ready",
    error: saving.error,
  };
}
