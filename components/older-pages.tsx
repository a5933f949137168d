import { ChevronLeft, ChevronRight } from "lucide-react";
import { type Options, parseAsArrayOf, parseAsString } from "nuqs";
import { useEffect } from "react";
import { Button } from "@/components/ui/button";

/** In the URL: the cursors of every page up to this one, for Newer, as the server only links forward. */
export const OLDER = parseAsArrayOf(parseAsString).withDefault([]);

interface OlderPagesProps {
  label: string;
  older: string[];
  /** the cursor of the page after this one */
  next: string | null | undefined;
  /** the server refused the page's cursor: the newest page shows instead */
  isStale: boolean;
  onTurn: (older: string[], options?: Options) => unknown;
}

/** Turns the pages of a list whose newest entries come first. */
export function OlderPages({ label, older, next, isStale, onTurn }: OlderPagesProps) {
  useEffect(() => {
    if (isStale) void onTurn([], { history: "replace" });
  });
  const turn = (to: string[]) => {
    void onTurn(to);
    window.scrollTo({ top: 0 });
  };
  if (older.length === 0 && !next) return null;
  return (
    <nav aria-label={label} className="flex justify-end gap-2 pt-3">
      <Button icon={ChevronLeft} disabled={older.length === 0} onClick={() => turn(older.slice(0, -1))}>
        Newer
      </Button>
      <Button disabled={!next} onClick={() => next && turn([...older, next])}>
        Older
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  );
}
