"use client";

import { ChevronLeft, ChevronRight } from "lucide-react";
import { totalOf } from "@/components/count";
import { Button } from "@/components/ui/button";

interface PaginationProps {
  previous: string | null;
  next: string | null;
  onCursor: (cursor: string) => void;
  shown: number;
  total: { count: number; exact: boolean };
}

/** The way to the pages before and after; there is no jumping to a page, as the list moves meanwhile. */
export function Pagination({ previous, next, onCursor, shown, total }: PaginationProps) {
  const turn = (cursor: string) => {
    onCursor(cursor);
    window.scrollTo({ top: 0 });
  };
  return (
    <nav aria-label="Pages of the list" className="flex min-h-control items-center justify-between gap-4 pt-3">
      <p className="text-text-muted tabular-nums">
        {shown} of {totalOf(total)}
      </p>
      <div className="flex gap-2">
        <Button disabled={!previous} onClick={() => turn(previous ?? "")}>
          <ChevronLeft aria-hidden />
          Previous
        </Button>
        <Button disabled={!next} onClick={() => turn(next ?? "")}>
          Next
          <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  );
}
