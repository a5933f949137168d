"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { useParams } from "next/navigation";
import { useEffect, useState } from "react";
import { download } from "@/components/download";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { Failure, toastFailure } from "@/components/failure";
import { ApplyImport } from "@/components/imports/apply-import";
import { ImportRows } from "@/components/imports/import-rows";
import { ImportStatus } from "@/components/imports/import-status";
import { UndoImport } from "@/components/imports/undo-import";
import { hasFile, progressOf, rows } from "@/components/imports/words";
import { useCanWrite } from "@/components/members/use-member";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { useAction } from "@/components/use-action";
import { groupsKey } from "@/lib/groups/queries";
import { askToCancelImport, fetchFailures, importQuery, importsKey, readImport } from "@/lib/imports/queries";
import type { Import } from "@/lib/imports/schema";
import { sessionQuery } from "@/lib/members/queries";

/** One import: preview, progress and result. It runs in the service, with or without this page. */
export function ImportPage() {
  const slug = useEnvironmentSlug();
  const { id } = useParams<{ id: string }>();
  const client = useQueryClient();
  const canWrite = useCanWrite();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  const isForbidden = isMemberKnown && !canWrite;
  const { data, error, refetch } = useQuery({ ...importQuery(slug, id), enabled: canWrite });
  const state = data?.import.state;
  useEffect(() => {
    if (state === "done" || state === "cancelled") void client.invalidateQueries({ queryKey: groupsKey(slug) });
  }, [state, client, slug]);
  if (isForbidden) {
    return (
      <>
        <PageHeader title="Import" />
        <p className="text-text-muted">Viewers cannot import user groups. Ask an owner for another role.</p>
      </>
    );
  }
  return (
    <>
      <PageHeader
        title="Import"
        screen={data ? `Import of ${data.import.file_name}` : "Import"}
        note={data?.import.file_name}
        actions={data && <Actions job={data.import} />}
      />
      <div className="flex flex-col gap-4">
        {error && !data && (
          <Failure title="The import could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
        {error && data && (
          <Notice tone="warning" role="alert" title="The service cannot be reached">
            <p>This may be out of date. The import continues in the background.</p>
          </Notice>
        )}
        {!data && !error && <Skeleton className="h-24 max-w-xl" />}
        {data && (
          <>
            <ImportStatus job={data.import} />
            {data.import.state !== "uploading" && <ImportRows job={data.import} />}
          </>
        )}
      </div>
    </>
  );
}

function Actions({ job }: { job: Import }) {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const [isAsking, setIsAsking] = useState(false);
  const readAgain = () => client.invalidateQueries({ queryKey: importsKey(slug) });
  const cancel = useAction<void>({
    act: () => askToCancelImport(slug, job.id),
    wasDone: async () => (await readImport(slug, job.id)).state === "cancelled",
    undone: "It was not cancelled. Try again.",
    failed: "The import was not cancelled",
    isBare: true,
    onDone: readAgain,
    onFailed: readAgain,
  });
  const save = async () => {
    try {
      const { name, content } = await fetchFailures(slug, job.id);
      download(name, content);
    } catch (error) {
      toastFailure("Nothing was downloaded", error);
    }
  };
  const isOpen = ["uploading", "checking", "checked", "applying"].includes(job.state);
  const { total } = progressOf(job);
  const isFailing = job.planned.error + job.done.skipped > 0;
  return (
    <>
      {isFailing && !["checking", "applying"].includes(job.state) && (
        <Button onClick={() => void save()}>
          <Download aria-hidden />
          Download failed rows
        </Button>
      )}
      {isOpen && (
        <Button onClick={() => cancel.run()} disabled={cancel.state !== "ready"}>
          {cancel.state === "ready" ? "Cancel import" : "Cancelling…"}
        </Button>
      )}
      {job.state === "checked" && total > 0 && (
        <Button variant="primary" onClick={() => setIsAsking(true)}>
          Apply {rows(total)}…
        </Button>
      )}
      {!isOpen && job.done.changed > 0 && <UndoImport job={job} />}
      {!isOpen && hasFile(job) && (
        <PageLink href={`/${slug}/groups/import`} className={buttonLook()}>
          Import another file
        </PageLink>
      )}
      {!isOpen && job.fixes !== null && (
        <PageLink href={`/${slug}/health`} className={buttonLook()}>
          Health
        </PageLink>
      )}
      {job.state === "done" && (
        <PageLink href={`/${slug}/groups`} className={buttonLook({ variant: "primary" })}>
          Show groups
        </PageLink>
      )}
      {isAsking && <ApplyImport job={job} onClose={() => setIsAsking(false)} />}
    </>
  );
}
