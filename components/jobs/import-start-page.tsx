"use client";

import { FileUp } from "lucide-react";
import { useRouter } from "next/navigation";
import { type RefObject, useEffect, useId, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { Breadcrumb } from "@/components/breadcrumb";
import { Failure } from "@/components/failure";
import { RecentJobs } from "@/components/jobs/recent-jobs";
import { NotForReaders } from "@/components/not-for-readers";
import { PageHeader } from "@/components/page-header";
import { Button } from "@/components/ui/button";
import { Checkbox } from "@/components/ui/checkbox";
import { Input } from "@/components/ui/input";
import { Progress } from "@/components/ui/progress";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite, useIsReader } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { uploadFile } from "@/lib/jobs/queries";
import { MAX_FILE_BYTES, MAX_ROWS, USUAL_DELETIONS } from "@/lib/jobs/schema";

export function ImportStartPage() {
  const canWrite = useCanWrite();
  if (useIsReader()) return <NotForReaders here="Import" title="Import user groups" what="import user groups" />;
  return (
    <>
      <Breadcrumb inGroups here="Import" />
      <PageHeader title="Import user groups" />
      <div className="flex max-w-238 flex-col gap-6">
        <Upload />
        <Explanation />
        {canWrite && <RecentJobs />}
      </div>
    </>
  );
}

function Upload() {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const running = useRef<AbortController>(undefined);
  const [isSync, setIsSync] = useState(false);
  const [most, setMost] = useState<string>(USUAL_DELETIONS);
  const [sent, setSent] = useState<{ name: string; part: number }>();
  const [error, setError] = useState<Error>();
  useEffect(() => () => running.current?.abort(), []);
  const send = async (file: File) => {
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    if (file.size > MAX_FILE_BYTES) return setError(new Error("The file is larger than 64 MiB: split it."));
    if (file.size === 0 && !isSync) return setError(new Error("The file is empty."));
    setSent({ name: file.name, part: 0 });
    try {
      const onProgress = (part: number) => setSent({ name: file.name, part });
      const number = await uploadFile(slug, file, {
        sync: isSync ? { maxDeletions: most.trim() } : undefined,
        signal: controller.signal,
        onProgress,
      });
      router.push(`/${slug}/groups/jobs/${number}`);
    } catch (failure) {
      if (!controller.signal.aborted) setError(failure instanceof Error ? failure : new Error(String(failure)));
      flushSync(() => setSent(undefined));
      field.current?.focus();
    }
  };
  if (sent) {
    return (
      <div
        ref={takeFocus}
        tabIndex={-1}
        className="flex flex-col items-start gap-3 rounded-xl border border-border bg-surface p-6"
      >
        <div className="w-full">
          <Progress label={`Sending ${sent.name}`} value={sent.part} />
        </div>
        <p className="text-text-muted">Stay on this page until the file is sent. Sending changes nothing.</p>
        <Button onClick={() => running.current?.abort()}>Cancel</Button>
      </div>
    );
  }
  return (
    <>
      {error && <Failure title="The file was not sent" error={error} />}
      <FileDrop field={field} onFile={(file) => void send(file)} />
      <div className="flex flex-col gap-1">
        <div className="flex items-center gap-2">
          <Checkbox id={`${id}-sync`} checked={isSync} onChange={({ target }) => setIsSync(target.checked)} />
          <label htmlFor={`${id}-sync`}>Also delete user groups that the file does not name</label>
        </div>
        {isSync && (
          <div className="flex flex-wrap items-center gap-2">
            <label htmlFor={`${id}-most`}>Delete at most</label>
            <Input
              id={`${id}-most`}
              className="w-24"
              value={most}
              onChange={({ target }) => setMost(target.value)}
              aria-describedby={`${id}-hint`}
            />
            <p id={`${id}-hint`} className="text-text-muted">
              user groups, as a number or a percentage. You see how many before anything is deleted.
            </p>
          </div>
        )}
      </div>
    </>
  );
}

interface FileDropProps {
  field: RefObject<HTMLInputElement | null>;
  onFile: (file: File) => void;
}

/** A box to choose a file, or to drop one on: the field covers it. */
function FileDrop({ field, onFile }: FileDropProps) {
  const id = useId();
  return (
    <div
      className={cn(
        "relative flex flex-col items-center gap-2 rounded-xl border border-control border-dashed bg-surface px-6",
        "py-10 text-center hover:bg-hover has-focus-visible:outline-2 has-focus-visible:outline-accent",
        "has-focus-visible:outline-offset-2",
      )}
    >
      <FileUp aria-hidden className="size-6 text-text-muted" />
      <label htmlFor={id} className="font-medium">
        Drop a file here, or choose one
      </label>
      <p className="max-w-lg text-balance text-text-muted">
        CSV or JSON lines in UTF-8, at most 64 MiB and {MAX_ROWS.toLocaleString("en")} rows. You can review the changes
        before they are applied.
      </p>
      <input
        ref={field}
        id={id}
        type="file"
        accept=".csv,.jsonl,.ndjson,.txt,text/csv"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          // Lets the same file be chosen again once corrected.
          target.value = "";
          if (file) onFile(file);
        }}
        className="absolute inset-0 cursor-pointer opacity-0"
      />
    </div>
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
        The first line of a CSV file names the columns: <code>user_group_id</code>, and any of <code>name</code>,{" "}
        <code>mapping</code> and <code>properties</code>; the last two hold JSON. In JSON lines, each line is a body as
        the API takes it. Exports have the same format.
      </p>
      <p>
        New groups are created, with a token. In existing groups, the given fields are replaced: a blank value or a
        missing column leaves a field unchanged, and <code>null</code> clears the properties. Tokens stay the same.
      </p>
      <p>
        An import neither suspends groups nor sets when their access ends: it ignores <code>state</code> and{" "}
        <code>access_ends_at</code> of an export. New groups are active, existing ones stay as they are.
      </p>
    </section>
  );
}
