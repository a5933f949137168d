"use client";

import { type QueryKey, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

interface AnswerAheadProps {
  queryKey: QueryKey;
  /** what the server answered, and when by its clock; undefined where it had no answer */
  answer: { data: unknown; at: number } | undefined;
  children: ReactNode;
}

/**
 * Gives what is inside an answer that came with the page, for what it would ask first. What the browser knows already it
 * keeps: on the way back through the history a page comes as it was when it was left.
 */
export function Prefetched({ queryKey, answer, children }: AnswerAheadProps) {
  const client = useQueryClient();
  useState(() => {
    if (!answer || client.getQueryData(queryKey) !== undefined) return;
    // Clocks differ: an answer from the future would never be asked for again.
    client.setQueryData(queryKey, answer.data, { updatedAt: Math.min(answer.at, Date.now()) });
  });
  return children;
}
