import { CircleStop, FileJson, Table2 } from "lucide-react";
import { MenuItems } from "@/components/ui/menu";
import type { useExport } from "@/components/use-export";

/** The formats of an export, or how to stop a running one. */
export function ExportItems({ isBusy, save, stop }: ReturnType<typeof useExport>) {
  return (
    <MenuItems
      items={[
        isBusy && { label: "Stop the export", icon: CircleStop, run: stop },
        !isBusy && { label: "Export as CSV", icon: Table2, run: () => save("csv") },
        !isBusy && { label: "Export as JSON lines", icon: FileJson, run: () => save("jsonl") },
      ]}
    />
  );
}
