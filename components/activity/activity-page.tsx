"use client";

import { ActivityList } from "@/components/activity/activity-list";
import { ExportMenu } from "@/components/activity/export-menu";
import { PageHeader } from "@/components/page-header";

export function ActivityPage() {
  return (
    <>
      <PageHeader title="Activity" actions={<ExportMenu />} />
      <ActivityList />
    </>
  );
}
