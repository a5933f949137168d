"use client";

import { useQueryClient } from "@tanstack/react-query";
import { FileUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { type RefCallback, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Breadcrumb } from "@/components/breadcrumb";
import { Failure } from "@/components/failure";
import type { ColumnMapping } from "@/components/jobs/column-mapping";
import { RecentJobs } from "@/components/jobs/recent-jobs";
import { NotForReaders } from "@/components/not-for-readers";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { onDemand } from "@/components/ui/on-demand";
import { Progress } from "@/components/ui/progress";
import { TextAreaField } from "@/components/ui/text-field";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite, useIsReader } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { load } from "@/lib/browser/load";
import { uploadFile } from "@/lib/jobs/queries";
import { MAX_FILE_BYTES, MAX_ROWS, USUAL_DELETIONS } from "@/lib/jobs/schema";

const columns = onDemand(() => import("@/components/jobs/map-columns"));
const MapColumns = columns.part("MapColumns");
const loadMapping = () => load(() => import("@/components/jobs/column-mapping"));

const TITLE = "Import user groups";

export function ImportStartPage() {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const canWrite = useCanWrite();
  const [most, setMost] = useState<string>();
  const [mapping, setMapping] = useState<ColumnMapping>();
  const { sent, error, control, send, cancel } = useUpload(most);
  if (useIsReader()) return <NotForReaders title={TITLE} what="import user groups" />;
  const open = (file: File) =>
    send(file.name, async (signal) => {
      if (file.size > MAX_FILE_BYTES) throw new Error("The file is larger than 64 MiB: split it.");
      if (file.size === 0 && most === undefined) throw new Error("The file is empty.");
      const [{ startMapping }] = await Promise.all([loadMapping(), columns.load()]);
      const foreign = await startMapping(file, { slug, client });
      signal.throwIfAborted();
      setMapping(foreign);
      return foreign ? undefined : file;
    });
  const sync = <SyncChoice most={most} onChange={setMost} />;
  const failure = error && <Failure title="The file was not sent" error={error} />;
  return (
    <>
      <Breadcrumb inGroups here="Import" />
      {sent && <Sending {...sent} onCancel={cancel} />}
      {!sent && mapping && (
        <MapColumns
          mapping={mapping}
          onChange={setMapping}
          onCheck={() => send(mapping.table.name, async () => (await loadMapping()).mapFile(slug, mapping), true)}
          onOther={() => setMapping(undefined)}
          control={control}
        >
          {failure}
          {sync}
        </MapColumns>
      )}
      {!sent && !mapping && (
        <>
          <PageHeader title={TITLE} />
          <div className="flex max-w-238 flex-col gap-6">
            {failure}
            <div className="grid gap-4 wide:grid-cols-2">
              <FileDrop control={control} onFile={open} />
              <Paste onFile={open} />
            </div>
            {canWrite && <RecentJobs />}
            <div className="grid gap-x-4 gap-y-6 wide:grid-cols-2">
              <Explanation />
              <section className="flex flex-col gap-2">
                <h2 className="font-semibold text-base">Sync</h2>
                {sync}
              </section>
            </div>
          </div>
        </>
      )}
    </>
  );
}

interface Sent {
  name: string;
  /** share of the file, up to 1; undefined until it is read */
  part?: number;
}

/** Sends a file and opens its job. */
function useUpload(most: string | undefined) {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  /** gets the focus after a failure */
  const control = useRef<HTMLElement>(null);
  const running = useRef<AbortController>(undefined);
  const [sent, setSent] = useState<Sent>();
  const [error, setError] = useState<Error>();
  useEffect(() => () => running.current?.abort(), []);
  /** Sends what `makeFile` returns, if anything, to be merged or read as it is. */
  const send = async (name: string, makeFile: (signal: AbortSignal) => Promise<File | undefined>, merge = false) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setError(undefined);
    setSent({ name });
    try {
      const file = await makeFile(signal);
      if (!file) return setSent(undefined);
      setSent({ name, part: 0 });
      const onProgress = (part: number) => setSent({ name, part });
      const sync = most === undefined ? undefined : { maxDeletions: most.trim() };
      router.push(`/${slug}/groups/jobs/${await uploadFile(slug, file, { sync, merge, signal, onProgress })}`);
    } catch (failure) {
      if (!signal.aborted) setError(failure instanceof Error ? failure : new Error(String(failure)));
      flushSync(() => setSent(undefined));
      control.current?.focus();
    }
  };
  return {
    sent,
    error,
    send: (...sending: Parameters<typeof send>) => void send(...sending),
    cancel: () => running.current?.abort(),
    control: (element: HTMLElement | null) => {
      control.current = element;
    },
  };
}

function Sending({ name, part, onCancel }: Sent & { onCancel: () => void }) {
  return (
    <>
      <PageHeader title={TITLE} />
      <div
        ref={takeFocus}
        tabIndex={-1}
        className="flex max-w-3xl flex-col items-start gap-3 rounded-xl border border-border bg-surface p-6"
      >
        <div className="w-full">
          <Progress label={`${part === undefined ? "Reading" : "Sending"} ${name}`} value={part ?? 0} />
        </div>
        <p className="text-text-muted">Stay on this page until the file is sent. Sending changes nothing.</p>
        <Button onClick={onCancel}>Cancel</Button>
      </div>
    </>
  );
}

interface FileDropProps {
  control: RefCallback<HTMLElement>;
  onFile: (file: File) => void;
}

/** A box to choose a file or drop one on; the file field covers it. */
function FileDrop({ control, onFile }: FileDropProps) {
  const id = useId();
  return (
    <div
      className={cn(
        "relative flex flex-col items-center gap-2 rounded-xl border border-control border-dashed bg-surface px-6",
        "justify-center py-6 text-center hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent",
        "has-focus-visible:outline-offset-2",
      )}
    >
      <FileUp aria-hidden className="size-6 text-text-muted" />
      <label htmlFor={id} className="font-medium">
        Drop a file here, or choose one
      </label>
      <p className="max-w-lg text-balance text-text-muted">
        Any CSV, or JSON lines, at most 64 MiB and {MAX_ROWS.toLocaleString("en")} rows. You choose what each column
        becomes, and review the changes before they are applied.
      </p>
      <input
        ref={control}
        id={id}
        type="file"
        accept=".csv,.tsv,.jsonl,.ndjson,.txt,text/csv"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // So that the same file can be chosen again once corrected.
          target.value = "";
          if (file) onFile(file);
        }}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
    </div>
  );
}

const PASTED = "customer_id  company      plan\nacme-1       Acme GmbH    pro\nborealis     Borealis     free";

function Paste({ onFile }: Pick<FileDropProps, "onFile">) {
  return (
    <TextAreaField
      label="Or paste a table"
      hint="Copy it from a spreadsheet, including the header row."
      spellCheck={false}
      placeholder={PASTED}
      className="min-h-24 grow resize-none font-mono text-xs"
      onPaste={(event) => {
        event.preventDefault();
        onFile(new File([event.clipboardData.getData("text")], "Pasted table"));
      }}
    />
  );
}

function takeFocus(element: HTMLElement | null) {
  element?.focus();
}

function Explanation() {
  return (
    <section className="flex flex-col gap-2 text-text-muted">
      <h2 className="font-semibold text-base text-text">File format</h2>
      <p>
        A CSV changes only what its columns name: other properties, state, end of access and tokens stay. New groups are
        active and get a token.
      </p>
      <p>
        Exports and JSON lines are read as they are: <code>user_group_id</code>, and any of <code>name</code>,{" "}
        <code>mapping</code> and <code>properties</code>, which in CSV are JSON. The last two are replaced whole: a
        blank value keeps them, <code>null</code> clears the properties. <code>state</code> and{" "}
        <code>access_ends_at</code> are ignored.
      </p>
    </section>
  );
}

interface SyncChoiceProps {
  /** the most deletions, as typed; undefined if groups missing from the file are kept */
  most: string | undefined;
  onChange: (most: string | undefined) => void;
}

function SyncChoice({ most, onChange }: SyncChoiceProps) {
  const id = useId();
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-center gap-2">
        <Checkbox
          id={`${id}-sync`}
          checked={most !== undefined}
          onChange={({ target }) => onChange(target.checked ? USUAL_DELETIONS : undefined)}
        />
        <label htmlFor={`${id}-sync`}>Also delete user groups that are not in the file</label>
      </div>
      {most !== undefined && (
        <div className="flex flex-wrap items-center gap-2">
          <label htmlFor={`${id}-most`}>Delete at most</label>
          <Input
            id={`${id}-most`}
            className="w-24"
            value={most}
            onChange={({ target }) => onChange(target.value)}
            aria-describedby={`${id}-hint`}
          />
          <p id={`${id}-hint`} className="text-text-muted">
            user groups, as a number or a percentage. You see how many before anything is deleted.
          </p>
        </div>
      )}
    </div>
  );
}
