import { ModifierKey } from "@/components/modifier-key";
import { Dialog } from "@/components/ui/dialog";
import { Kbd } from "@/components/ui/kbd";

const MODIFIER = "modifier";
const SHORTCUTS = [
  { keys: [MODIFIER, "K"], does: "Search and commands" },
  { keys: ["/"], does: "Search the list" },
  { keys: ["↓", "↑"], does: "Move through the list" },
  { keys: ["x"], does: "Select the row" },
  { keys: ["c"], does: "Copy the row’s token" },
  { keys: ["e"], does: "Copy the row’s embed configuration" },
  { keys: ["n"], does: "Create user group" },
  { keys: [MODIFIER, "S"], does: "Save changes" },
  { keys: ["?"], does: "All shortcuts" },
  { keys: ["Esc"], does: "Close dialog or menu" },
];

export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keyboard shortcuts">
      <dl className="flex flex-col">
        {SHORTCUTS.map(({ keys, does }) => (
          <div key={does} className="flex items-center justify-between gap-4 border-border border-b py-2 last:border-0">
            <dt>{does}</dt>
            <dd className="flex items-center gap-1">
              {keys.map((key) => (
                <Kbd key={key}>{key === MODIFIER ? <ModifierKey /> : key}</Kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
