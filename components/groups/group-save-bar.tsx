"use client";

import { type ComponentProps, useMemo } from "react";
import { unsavedChanges } from "@/components/groups/unsaved-changes";
import { SaveBar } from "@/components/save-bar";
import type { GroupForm } from "@/lib/groups/schema";

interface GroupSaveBarProps extends Omit<ComponentProps<typeof SaveBar>, "changes"> {
  saved: GroupForm;
  values: GroupForm;
}

/** The save bar of a group's form. */
export function GroupSaveBar({ saved, values, ...bar }: GroupSaveBarProps) {
  const changes = useMemo(() => unsavedChanges(saved, values), [saved, values]);
  return <SaveBar {...bar} changes={changes} />;
}
