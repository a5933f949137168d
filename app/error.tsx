"use client";

import { Failure } from "@/components/failure";
import { MessagePage } from "@/components/message-page";

/** What stands where a page could not be shown: its code was not loaded, or has a fault. */
export default function PageError({ error }: { error: Error }) {
  // Loaded anew, as what it lacks may be of a version that is no more.
  return (
    <MessagePage title="This page could not be shown">
      <Failure title="Something went wrong in the browser" error={error} onRetry={() => window.location.reload()} />
    </MessagePage>
  );
}
