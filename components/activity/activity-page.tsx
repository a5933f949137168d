"use client";

import { ActivityList } from "@/components/activity/activity-list";
import { PageHeader } from "@/components/page-header";

export function ActivityPage() {
  return (
    <>
      <PageHeader title="Activity" />
      <ActivityList />
    </>
  );
}
