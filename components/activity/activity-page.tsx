"use client";

import { ActivityList } from "@/components/activity/activity-list";
import { PageHeader } from "@/components/page-header";

/** The history of everything. */
export function ActivityPage() {
  return (
    <>
      <PageHeader title="Activity" />
      <ActivityList />
    </>
  );
}
