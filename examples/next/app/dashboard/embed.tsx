"use client";

import { useEffect, useRef } from "react";

export function Embed({
  rendererUrl,
  token,
}: {
  rendererUrl: string;
  token: string;
}) {
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.submit(), []);
  return (
    <>
      <iframe name="dashboard" title="Dashboard" />
      <form ref={form} method="post" action={rendererUrl} target="dashboard">
        <input type="hidden" name="viewer_token" value={token} />
      </form>
    </>
  );
}
