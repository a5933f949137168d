import { ChevronLeft, ChevronRight } from "lucide-react";
import { totalOf } from "@/components/count";
import { Button } from "@/components/ui/button";

interface PaginationProps {
  previous: string | null;
  next: string | null;
  /** the place of the first group shown, counted from 1 */
  from: number;
  shown: number;
  total: { count: number; exact: boolean };
  onPage: (cursor: string, from: number) => void;
}

/** The most groups of a page, by which one goes back. */
const PAGE = 50;

/** Previous and next only: page numbers would shift as the list changes. */
export function Pagination({ previous, next, from, shown, total, onPage }: PaginationProps) {
  // The first page says so itself, however one came to it.
  const first = previous === null ? 1 : Math.max(from, 2);
  const last = first + shown - 1;
  const turn = (cursor: string, place: number) => {
    onPage(cursor, place);
    window.scrollTo({ top: 0 });
  };
  return (
    <nav aria-label="List pages" className="flex flex-1 items-center justify-between gap-4">
      <p className="text-text-muted tabular-nums">
        {shown > 0 && `${first.toLocaleString("en")}–${last.toLocaleString("en")} of ${totalOf(total)}`}
      </p>
      <div className="flex gap-3">
        <Button
          icon={ChevronLeft}
          size="small"
          disabled={!previous}
          onClick={() => turn(previous ?? "", Math.max(1, first - PAGE))}
        >
          Prev
        </Button>
        <Button size="small" disabled={!next} onClick={() => turn(next ?? "", last + 1)}>
          Next
          <ChevronRight aria-hidden />
        </Button>
      </div>
    </nav>
  );
}
