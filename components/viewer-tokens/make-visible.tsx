"use client";

import { ConfirmDialog } from "@/components/confirm-dialog";
import { useEnvironment } from "@/components/use-environment";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";

/** A property or schema id of a group. */
export interface ValueName {
  part: "properties" | "mapping";
  name: string;
  /** for people */
  label: string;
}

interface MakeVisibleProps {
  value: ValueName;
  onClose: () => void;
}

/** Adds a property or schema id to what viewer tokens contain. */
export function MakeVisible({ value: { part, name, label }, onClose }: MakeVisibleProps) {
  const environment = useEnvironment();
  const change = useSettingChange({
    change: (_, { visible }) => ({ visible: { ...visible, [part]: [...new Set([...visible[part], name])] } }),
    done: `“${label}” is visible to viewers`,
    onDone: onClose,
  });
  return (
    <ConfirmDialog
      action={change}
      environment={environment}
      title={`Make “${label}” visible?`}
      description={`New viewer tokens of all groups in ${environment?.name ?? "this environment"} will contain it. Anyone with the page can read it.`}
      verb="Make visible"
      doing="Saving…"
      onClose={onClose}
    />
  );
}
