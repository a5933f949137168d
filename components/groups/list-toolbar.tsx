import {
  ArrowDownUp,
  Columns3,
  Ellipsis,
  ListFilter,
  LoaderCircle,
  Plus,
  Search,
  SquareCheck,
  Trash2,
  Upload,
} from "lucide-react";
import { type ReactNode, useEffect, useRef, useState } from "react";
import { ExportItems } from "@/components/export-items";
import type { useColumns } from "@/components/groups/columns";
import { Filters, filterParts, filtersIn, NewFilter } from "@/components/groups/list-filters";
import { SORTS } from "@/components/groups/list-state";
import type { ListInUrl } from "@/components/groups/use-list-state";
import { PageLink } from "@/components/page-link";
import { part } from "@/components/part";
import { holdsToken } from "@/components/pasted-token";
import { Input } from "@/components/ui/input";
import { Kbd } from "@/components/ui/kbd";
import { Menu, MenuChoice, MenuItems, MenuLink, MenuSeparator } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import { Popover } from "@/components/ui/popover";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useExport } from "@/components/use-export";
import { useCanWrite } from "@/components/use-member";
import { cn } from "@/lib/browser/class-name";
import { exportList } from "@/lib/groups/bulk-queries";
import type { ListState } from "@/lib/groups/queries";

const FoundByToken = part(async () => (await import("@/components/groups/found-by-token")).FoundByToken);

/** Search debounce, in milliseconds. */
const PAUSE_MS = 150;

const columnsPart = onDemand(() => import("@/components/groups/columns-editor"));
const ColumnsEditor = columnsPart.part("ColumnsEditor");
const phone = onDemand(() => import("@/components/groups/phone-filter"));
const PhoneFilter = phone.part("PhoneFilter");

interface ListToolbarProps extends ListInUrl {
  columns: ReturnType<typeof useColumns>;
  /** the menu of rarely used actions */
  more: ReactNode;
}

export function ListToolbar(props: ListToolbarProps) {
  const { list, setSearch, show, columns, more } = props;
  const options = SORTS.map(({ value, label }) => ({ value, label }));
  const current = SORTS.find(({ value }) => value === list.sort) ?? SORTS[0];
  const count = filtersIn(list).length;
  return (
    <div className="flex gap-2 py-3 max-sm:pt-0 sm:items-start">
      <div className="flex min-w-0 grow items-center gap-2 sm:flex-wrap">
        <SearchBox search={list.search} onSearch={setSearch} />
        <div className="contents max-sm:hidden">
          <Filters {...props} />
          <Popover
            needs={filterParts}
            button={{ icon: Plus, variant: "ghost", className: "px-2!", children: "Filter" }}
            title="Filter by a property"
          >
            {(close) => <NewFilter {...props} onClose={close} />}
          </Popover>
        </div>
        <div className="sm:hidden">
          <Popover
            needs={phone}
            button={{ icon: ListFilter, children: count > 0 ? `Filter · ${count}` : "Filter" }}
            title="Filter"
          >
            {(close) => <PhoneFilter {...props} onClose={close} />}
          </Popover>
        </div>
      </div>
      <div className="flex shrink-0 items-center sm:gap-1">
        <div className="contents max-sm:hidden">
          <Menu
            align="end"
            button={{
              icon: ArrowDownUp,
              variant: "ghost",
              className: "px-2!",
              "aria-label": `Sort: ${current.label}`,
              children: <span className="max-wide:sr-only">{current.label}</span>,
            }}
          >
            <MenuChoice label="Sort" value={current.value} onChange={(sort) => show({ sort })} options={options} />
          </Menu>
          <Popover
            needs={columnsPart}
            align="end"
            button={{
              icon: Columns3,
              variant: "ghost",
              className: "px-2!",
              "aria-label": "Columns",
              children: <span className="max-wide:sr-only">Columns</span>,
            }}
            title="Columns"
          >
            {() => (
              <ColumnsEditor
                columns={columns.columns ?? []}
                isChosen={columns.isChosen}
                onChange={columns.setColumns}
              />
            )}
          </Popover>
        </div>
        {more}
      </div>
    </div>
  );
}

function SearchBox({ search, onSearch }: { search: string; onSearch: (text: string) => void }) {
  const [text, setText] = useState(search);
  const [known, setKnown] = useState(search);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back and forward change only the URL.
  if (search !== known) {
    setKnown(search);
    setText(search);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  const type = (next: string) => {
    setText(next);
    clearTimeout(timer.current);
    // A token must never enter the URL: it is looked up separately.
    if (holdsToken(next)) return;
    timer.current = setTimeout(() => {
      setKnown(next.trim());
      // Even an unchanged search would rewrite the URL, perhaps of a page that the browser is leaving.
      if (next.trim() !== search) onSearch(next.trim());
    }, PAUSE_MS);
  };
  return (
    <div className="relative min-w-0 max-sm:grow sm:w-80">
      <Search
        aria-hidden
        className="pointer-events-none absolute top-1/2 left-2.5 size-4 -translate-y-1/2 text-text-muted"
      />
      <Input
        type="search"
        value={text}
        onChange={(event) => type(event.target.value)}
        placeholder="Name, id, token"
        aria-label="Search by name, id or token"
        aria-keyshortcuts="/"
        isLiteral
        className="peer pr-2 pl-8 sm:pr-8"
      />
      <span
        aria-hidden
        className={cn(
          "pointer-events-none absolute top-1/2 right-2 -translate-y-1/2",
          "peer-focus:hidden peer-[:not(:placeholder-shown)]:hidden max-sm:hidden",
        )}
      >
        <Kbd>/</Kbd>
      </span>
      {holdsToken(text) && <FoundByToken text={text} />}
    </div>
  );
}

interface MoreMenuProps {
  list: ListState;
  /** shows checkboxes on screens that hide them */
  onSelect: () => void;
}

/** Rarely used actions on the list. */
export function MoreMenu({ list, onSelect }: MoreMenuProps) {
  const slug = useEnvironmentSlug();
  const canWrite = useCanWrite();
  const { isBusy, ...run } = useExport((options) => exportList(slug, list, options));
  return (
    <Menu
      align="end"
      button={{
        variant: "ghost",
        size: "icon",
        "aria-label": isBusy ? "More, exporting" : "More",
        children: isBusy ? <LoaderCircle aria-hidden className="animate-spin" /> : <Ellipsis aria-hidden />,
      }}
    >
      <div className="contents sm:hidden">
        <MenuItems items={[{ label: "Select groups", icon: SquareCheck, run: onSelect }]} />
        {canWrite && (
          <MenuLink icon={Upload} render={<PageLink href={`/${slug}/groups/import`} />}>
            Import
          </MenuLink>
        )}
        <MenuSeparator />
      </div>
      <ExportItems isBusy={isBusy} {...run} />
      <MenuSeparator />
      <MenuLink icon={Trash2} render={<PageLink href={`/${slug}/groups/deleted`} />}>
        Recently deleted
      </MenuLink>
    </Menu>
  );
}
