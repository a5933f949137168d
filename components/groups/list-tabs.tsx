import { Plus, X } from "lucide-react";
import type { MouseEvent, ReactNode } from "react";
import {
  addressOf,
  type ListView,
  listStateOf,
  loadListParameters,
  VIEWS,
  viewOf,
} from "@/components/groups/list-state";
import { MAX_PINNED, type PinnedView, usePinnedViews } from "@/components/groups/pinned-views";
import type { ListInUrl } from "@/components/groups/use-list-state";
import { IconButton } from "@/components/ui/button";
import { onDemand } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useInBrowser } from "@/components/use-in-browser";
import { cn } from "@/lib/browser/class-name";
import type { ListState } from "@/lib/groups/queries";
import type { SummaryAnswer } from "@/lib/groups/summary-schema";

const newView = onDemand(() => import("@/components/groups/new-view"));
const NewView = newView.part("NewView");

interface ListTabsProps extends Pick<ListInUrl, "list" | "show"> {
  summary: SummaryAnswer | undefined;
}

/** Views of the list: by use, and those pinned in this browser. */
export function ListTabs({ list, show, summary }: ListTabsProps) {
  const slug = useEnvironmentSlug();
  const isKnown = useInBrowser();
  const { views, pin, remove } = usePinnedViews(slug);
  const here = addressOf(slug, list);
  const pinned = views.find(({ address }) => address === here);
  const shown = pinned ? undefined : viewOf(list);
  // Leaving a pinned view drops its filters.
  const listOf = ({ state, used }: ListView): ListState =>
    pinned ? { ...list, search: "", filters: [], state, used } : { ...list, state, used };
  return (
    <nav
      aria-label="Views"
      className={cn(
        "-mx-4 flex gap-5 overflow-x-auto px-4 [scrollbar-width:none] shadow-[inset_0_-1px_var(--border)]",
        "max-sm:hidden sm:-mx-6 sm:px-6",
      )}
    >
      {VIEWS.map((view) => (
        <Tab
          key={view.key}
          href={addressOf(slug, listOf(view))}
          isCurrent={view === shown}
          onShow={() => void show(listOf(view))}
        >
          {view.label}
          <Count view={view} summary={summary} />
        </Tab>
      ))}
      {isKnown && (
        <>
          {views.map((view) => (
            <Tab
              key={view.address}
              href={view.address}
              isCurrent={view === pinned}
              onShow={() => void show(stateOf(view))}
              onRemove={view === pinned ? () => remove(view) : undefined}
            >
              <span className="max-w-48 truncate">{view.name}</span>
            </Tab>
          ))}
          {!pinned && views.length < MAX_PINNED && (
            <Popover
              needs={newView}
              button={{ icon: Plus, variant: "ghost", className: "-ml-2 my-auto h-7! px-2!", children: "Pin view" }}
              title="Pin view"
            >
              {(close) => <NewView onPin={(name) => pin({ name, address: here })} onClose={close} />}
            </Popover>
          )}
        </>
      )}
    </nav>
  );
}

/** The list at a view's address. */
function stateOf({ address }: PinnedView): ListState {
  const [, query = ""] = address.split("?");
  return { ...listStateOf(loadListParameters(query)), cursor: "" };
}

interface TabProps {
  href: string;
  isCurrent: boolean;
  onShow: () => void;
  onRemove?: (() => void) | undefined;
  children: ReactNode;
}

function Tab({ href, isCurrent, onShow, onRemove, children }: TabProps) {
  const open = (event: MouseEvent) => {
    // The browser opens other tabs and windows.
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    onShow();
  };
  return (
    <span
      className={cn(
        "flex h-10 shrink-0 items-center border-b-2",
        isCurrent
          ? "border-text text-text"
          : "border-transparent text-text-secondary hover:text-text forced-colors:border-[Canvas]",
      )}
    >
      <a
        href={href}
        onClick={open}
        aria-current={isCurrent ? "page" : undefined}
        className={cn(
          "-mx-1.5 flex h-full items-center gap-1.5 rounded-sm px-1.5 font-medium transition-colors",
          "focus-visible:-outline-offset-2",
        )}
      >
        {children}
      </a>
      {onRemove && <IconButton icon={X} aria-label="Remove view" onClick={onRemove} />}
    </span>
  );
}

function Count({ view: { key }, summary }: { view: ListView; summary: SummaryAnswer | undefined }) {
  if (key === "all") return null;
  const count = summary?.states[key];
  return (
    // As wide as most counts, while they load.
    <span className="min-w-[2ch] font-normal text-text-muted tabular-nums">
      {count !== undefined && countInWords(count, summary?.counts_are_exact ?? true)}
    </span>
  );
}

function countInWords(count: number, isExact: boolean): string {
  if (isExact) return count.toLocaleString("en");
  return `~${count.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 2 })}`;
}
