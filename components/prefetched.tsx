"use client";

import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

interface PrefetchedProps {
  queryKey: QueryKey;
  /** the server's answer and its time by the server's clock; undefined if the server had none */
  answer: { data: unknown; at: number } | undefined;
  children: ReactNode;
}

/**
 * Fills the query cache with the answer that came with the page. Cached data wins, so that going back shows a page as
 * it was left.
 */
export function Prefetched({ queryKey, answer, children }: PrefetchedProps) {
  const client = useQueryClient();
  useState(() => {
    if (!answer || client.getQueryData(queryKey) !== undefined) return;
    // Clocks differ: an answer from the future would never be refetched.
    client.setQueryData(queryKey, answer.data, { updatedAt: Math.min(answer.at, Date.now()) });
  });
  return children;
}
