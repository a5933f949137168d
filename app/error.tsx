"use client";

import { MessagePage } from "@/components/message-page";

/** Shown when a page's code fails to load or throws. It is part of every first load, so keep it small. */
export default function PageError({ error }: { error: Error }) {
  return (
    <MessagePage title="This page could not be shown">
      <div role="alert" className="flex flex-col items-start gap-3">
        <p>Something went wrong in the browser: {error.message}</p>
        {/* A full reload: the missing code may belong to an older release. */}
        <button type="button" onClick={() => window.location.reload()} className="font-medium text-link">
          Try again
        </button>
      </div>
    </MessagePage>
  );
}
