"use client";

import { Download, LoaderCircle } from "lucide-react";
import { ActivityList } from "@/components/activity/activity-list";
import { useActivityState } from "@/components/activity/use-activity-state";
import { PageHeader } from "@/components/page-header";
import { Menu } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useExport } from "@/components/use-export";
import { exportActivity } from "@/lib/audit/queries";

export function ActivityPage() {
  return (
    <>
      <PageHeader title="Activity" actions={<ExportMenu />} />
      <ActivityList />
    </>
  );
}

const parts = onDemand(() => import("@/components/export-items"));
const ExportItems = parts.part("ExportItems");

/** Downloads the entries that match the filters, from every page. */
function ExportMenu() {
  const slug = useEnvironmentSlug();
  const { filters } = useActivityState();
  const run = useExport((options) => exportActivity(slug, filters, options));
  return (
    <Menu
      align="end"
      needs={parts}
      button={{
        icon: run.isBusy ? LoaderCircle : Download,
        children: run.isBusy ? "Exporting" : "Export",
      }}
    >
      <ExportItems {...run} />
    </Menu>
  );
}
