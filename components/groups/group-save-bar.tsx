"use client";

import { type ComponentProps, useMemo } from "react";
import { type Control, useFormState, useWatch } from "react-hook-form";
import type { z } from "zod";
import { unsavedChanges } from "@/components/groups/unsaved-changes";
import { SaveBar } from "@/components/save-bar";
import type { GroupForm, groupForm } from "@/lib/groups/schema";

interface GroupSaveBarProps extends Omit<ComponentProps<typeof SaveBar>, "changes"> {
  control: Control<GroupForm, unknown, z.output<typeof groupForm>>;
}

/** The save bar of a group's form, which renders as one types while the form does not. */
export function GroupSaveBar({ control, ...bar }: GroupSaveBarProps) {
  const values = useWatch({ control }) as GroupForm;
  const { defaultValues } = useFormState({ control });
  const changes = useMemo(() => unsavedChanges(defaultValues as GroupForm, values), [defaultValues, values]);
  return <SaveBar {...bar} changes={changes} />;
}
