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

/** Previous and next only: page numbers would shift as the list changes. */
export function Pagination({ previous, next, onCursor, shown, total }: PaginationProps) {
  const turn = (cursor: string) => {
    onCursor(cursor);
    window.scrollTo({ top: 0 });
  };
  return (
    <nav aria-label="List pages" className="flex min-h-control items-center justify-between gap-4 pt-3">
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
