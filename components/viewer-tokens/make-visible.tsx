import { ConfirmDialog } from "@/components/confirm-dialog";
import { useEnvironmentName } from "@/components/use-environment";
import { useSettingChange } from "@/components/viewer-tokens/use-setting-change";
import { changedVisible } from "@/components/viewer-tokens/use-visible-draft";
import type { ValueName } from "@/components/viewer-tokens/visible-values";

/** Adds a property or schema id to what viewer tokens contain. */
export function MakeVisible({ value, onClose }: { value: ValueName; onClose: () => void }) {
  const environment = useEnvironmentName();
  const { label } = value;
  const change = useSettingChange({
    change: (_, { visible }) => ({ visible: changedVisible(visible, [{ ...value, isVisible: true }]) }),
    done: `“${label}” is visible to viewers`,
    onClose,
  });
  return (
    <ConfirmDialog
      action={change}
      title={`Make “${label}” visible?`}
      description={`New viewer tokens of all groups in ${environment} will contain it. Anyone with the page can read it.`}
      verb="Make visible"
      onClose={onClose}
    />
  );
}
