"use client";

import { lazy, Suspense } from "react";

// Every page loads this file, so it must not bring the shell a second time.
const NotFoundPage = lazy(async () => ({ default: (await import("@/components/shell/not-found-page")).NotFoundPage }));

export default function Page() {
  return (
    <Suspense>
      <NotFoundPage />
    </Suspense>
  );
}
