"use client";

import { type FormEvent, type ReactNode, useDeferredValue, useEffect, useId, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { Controller, type Resolver, type UseFormReturn, useForm } from "react-hook-form";
import type { z } from "zod";
import type { Guides } from "@/components/definitions/guides";
import { Failure } from "@/components/failure";
import { isAboutFields, placeIssues, sentence } from "@/components/form-issues";
import { GroupSaveBar } from "@/components/groups/group-save-bar";
import { JsonField } from "@/components/json-editor/json-field";
import { LeaveUnsaved } from "@/components/leave-unsaved";
import { Button } from "@/components/ui/button";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { useInBrowser } from "@/components/use-in-browser";
import { useSaveKey } from "@/components/use-save-key";
import type { GroupForm as Fields, groupForm } from "@/lib/groups/schema";

type Values = z.output<typeof groupForm>;
export type Form = UseFormReturn<Fields, unknown, Values>;

const loadResolver = () => import("@/components/groups/group-resolver");
const resolver: Resolver<Fields, unknown, Values> = async (...fields) =>
  (await loadResolver()).groupResolver(...fields);

interface GroupFormProps {
  /** initial values */
  fields: Fields;
  /** the id of an existing group is fixed */
  isNew: boolean;
  readOnly?: boolean;
  /** errors it throws show at their field or on the form */
  onSave: (values: Values, form: Form) => Promise<void>;
  onDirty?: (dirty: boolean) => void;
  /** called on a field error, to bring the fields into view */
  onWrong?: () => Promise<unknown>;
  /** where the save bar is rendered: outside the tabs */
  barPlace?: Element | null;
  /** what definitions say of its fields */
  guides?: Guides | undefined;
  /** above the fields */
  children?: ReactNode;
}

/** Creates or edits a group. */
export function GroupForm(props: GroupFormProps) {
  const { fields, isNew, readOnly = false, onSave, onDirty, onWrong, barPlace, guides, children } = props;
  const id = useId();
  const form: Form = useForm({ defaultValues: fields, resolver, reValidateMode: "onChange" });
  const { register, control, formState, reset } = form;
  const { errors, isDirty, isSubmitting } = formState;
  // The typed character shows before the bar does.
  const hasBar = useDeferredValue(isDirty) && isDirty;
  const [failure, setFailure] = useState<Error>();
  // Text typed before hydration would be lost; an existing group's form is kept by Late.
  const isInBrowser = useInBrowser();
  useEffect(() => {
    // Before the connection may be lost.
    if (isDirty) loadResolver().catch(() => undefined);
  }, [isDirty]);
  useEffect(() => onDirty?.(isDirty), [isDirty, onDirty]);
  const failurePlace = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (failure) failurePlace.current?.scrollIntoView({ block: "nearest" });
  }, [failure]);

  const submit = form.handleSubmit(
    async (values) => {
      setFailure(undefined);
      try {
        await onSave(values, form);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        if (isAboutFields(error, NAMES)) await onWrong?.();
        if (!placeIssues(error, form, NAMES)) setFailure(error);
      }
    },
    async () => {
      setFailure(undefined);
      await onWrong?.();
    },
  );
  const save = async (event?: FormEvent) => {
    event?.preventDefault();
    try {
      await submit(event);
    } catch {
      setFailure(new Error("The form could not be checked. Check the connection, then try again."));
    }
  };
  useSaveKey(save, (isDirty || isNew) && !isSubmitting);

  const message = (name: keyof Fields) => sentence(errors[name]?.message);
  return (
    <form id={id} onSubmit={save} noValidate className="flex min-w-0 flex-col gap-5">
      {children}
      <div className="grid gap-4 md:grid-cols-[repeat(2,minmax(0,22rem))]">
        {isNew && (
          <Field
            label="Id"
            hint="Your own id for this customer, as your program uses it. It cannot be changed later."
            error={message("user_group_id")}
          >
            {(field) => (
              <Input
                {...register("user_group_id")}
                {...field}
                autoFocus
                autoComplete="off"
                readOnly={!isInBrowser}
                className="font-mono"
              />
            )}
          </Field>
        )}
        <Field label="Name" error={message("name")}>
          {(field) => (
            <Input
              {...register("name")}
              {...field}
              autoComplete="off"
              defaultValue={fields.name}
              readOnly={readOnly || (isNew && !isInBrowser)}
            />
          )}
        </Field>
      </div>
      <div className="grid items-start gap-x-6 gap-y-5 xl:grid-cols-[minmax(0,1.35fr)_minmax(0,1fr)]">
        <Controller
          name="properties"
          control={control}
          render={({ field }) => (
            <JsonField
              {...field}
              label="Properties"
              description="Values your dashboards and SQL can use, such as plan or region."
              error={message("properties")}
              readOnly={readOnly}
              guide={guides?.properties}
              nullable
            />
          )}
        />
        <Controller
          name="mapping"
          control={control}
          render={({ field }) => (
            <JsonField
              {...field}
              label="Mapping"
              description="Which data source each schema reads from."
              words={MAPPING_WORDS}
              error={message("mapping")}
              readOnly={readOnly}
              types={MAPPING_TYPES}
              guide={guides?.mapping}
            />
          )}
        />
      </div>
      {isNew && (
        <>
          {failure && (
            <div ref={failurePlace}>
              <Failure title="Nothing was saved" error={failure} />
            </div>
          )}
          <div className="flex gap-2">
            <Button type="submit" variant="primary" disabled={isSubmitting}>
              Create user group
            </Button>
          </div>
        </>
      )}
      {hasBar &&
        barPlace &&
        createPortal(
          <GroupSaveBar
            form={id}
            control={control}
            isSaving={isSubmitting}
            failure={failure}
            onDiscard={() => {
              setFailure(undefined);
              reset();
            }}
          />,
          barPlace,
        )}
      <LeaveUnsaved isDirty={isDirty} onDiscard={reset} />
    </form>
  );
}

const MAPPING_WORDS = { key: "Schema", value: "Data source", isMapping: true };
const MAPPING_TYPES = ["string", "number", "json"] as const;
const NAMES = ["user_group_id", "name", "mapping", "properties"] as const;

/** The fields with unsaved changes. */
export function changedNames({ formState: { dirtyFields } }: Form) {
  return NAMES.filter((name) => dirtyFields[name]);
}
