"use client";

import { Failure } from "@/components/failure";
import { MessagePage } from "@/components/message-page";

/** Shown when a page's code fails to load or throws. */
export default function PageError({ error }: { error: Error }) {
  // A full reload: the missing code may belong to an older release.
  return (
    <MessagePage title="This page could not be shown">
      <Failure title="Something went wrong in the browser" error={error} onRetry={() => window.location.reload()} />
    </MessagePage>
  );
}
