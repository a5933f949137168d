import { Ellipsis, LoaderCircle } from "lucide-react";
import { Menu } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useExport } from "@/components/use-export";
import { exportList } from "@/lib/groups/bulk-queries";
import type { ListState } from "@/lib/groups/queries";

const parts = onDemand(() => import("@/components/groups/more-items"));
const MoreItems = parts.part("MoreItems");

interface MoreMenuProps {
  list: ListState;
  /** shows boxes to select groups where there are none */
  onSelect: () => void;
}

/** What is seldom done with the list. */
export function MoreMenu({ list, onSelect }: MoreMenuProps) {
  const slug = useEnvironmentSlug();
  const run = useExport((options) => exportList(slug, list, options));
  const { isBusy } = run;
  return (
    <Menu
      align="end"
      needs={parts}
      button={{
        ...{ variant: "ghost", size: "icon", "aria-label": isBusy ? "More, exporting" : "More" },
        children: isBusy ? <LoaderCircle aria-hidden className="animate-spin" /> : <Ellipsis aria-hidden />,
      }}
    >
      <MoreItems run={run} onSelect={onSelect} />
    </Menu>
  );
}
