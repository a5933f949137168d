import { ChevronLeft, ChevronRight } from "lucide-react";
import { type Options, parseAsArrayOf, parseAsString } from "nuqs";
import { useEffect } from "react";
import { Button } from "@/components/ui/button";

/** The cursors of all pages up to this one, kept in the URL for Newer: the server only links forward. */
export const OLDER = parseAsArrayOf(parseAsString).withDefault([]);

interface OlderPagesProps {
  label: string;
  older: string[];
  /** the cursor of the page after this one; of this one while it loads */
  next: string | null | undefined;
  /** the server refused the page's cursor, so the newest page shows instead */
  isStale: boolean;
  onTurn: (older: string[], options?: Options) => unknown;
}

/** Buttons to page through a list, newest entries first. */
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
      <Button disabled={!next} onClick={() => next && next !== older.at(-1) && turn([...older, next])}>
        Older
        <ChevronRight aria-hidden />
      </Button>
    </nav>
  );
}
