import { ChevronLeft, ChevronRight } from "lucide-react";
import { totalOf } from "@/components/count";
import { Button } from "@/components/ui/button";
import { cn } from "@/lib/browser/class-name";
import type { GroupPage } from "@/lib/groups/queries";

interface PaginationProps {
  /** undefined while loading, when only its place is kept */
  page: GroupPage | undefined;
  total: GroupPage["total"] | undefined;
  /** the place of the first group shown, counted from 1 */
  from: number;
  onPage: (cursor: string, from: number) => void;
}

/** The most groups of a page, by which one goes back. */
const PAGE = 50;

/** The list's foot: previous and next only, as page numbers would shift while the list changes. */
export function Pagination({ page, total, from, onPage }: PaginationProps) {
  const { previousCursor: previous = null, nextCursor: next = null } = page ?? {};
  const shown = page?.groups.length ?? 0;
  // The first page says so itself, however one came to it.
  const first = previous === null ? 1 : Math.max(from, 2);
  const last = first + shown - 1;
  const turn = (cursor: string, place: number) => {
    onPage(cursor, place);
    window.scrollTo({ top: 0 });
  };
  return (
    <div
      className={cn(
        "pointer-events-auto flex min-h-11 items-center",
        "border-border border-t bg-surface px-4 sm:px-6 wide:rounded-b-xl",
      )}
    >
      {page && total && (
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
      )}
    </div>
  );
}
