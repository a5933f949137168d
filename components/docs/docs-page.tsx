import { Call } from "@/components/docs/call";
import { AsQuery, Errors, Health, Limits, Start } from "@/components/docs/sections";
import { ThemeMenu } from "@/components/shell/theme-menu";
import { SkipLink } from "@/components/skip-link";
import { CallSnippets } from "@/components/snippets/call-snippets";
import { buttonLook } from "@/components/ui/button";
import headings from "@/docs/headings.json" with { type: "json" };
import { cn } from "@/lib/browser/class-name";
import { SECTIONS } from "@/lib/openapi/headings";
import { callsOf, type DescribedCall } from "@/lib/openapi/reference";
import type { GroupSnippetCall, SnippetGroup } from "@/lib/snippets/request";

const ORDER = headings.map(({ id }) => id);
const placeOf = ({ operation: { operationId = "" } }: DescribedCall) => ORDER.indexOf(operationId);
const CALLS = SECTIONS.flatMap(callsOf).toSorted((one, other) => placeOf(one) - placeOf(other));
const EXAMPLE = { user_group_id: "example_1" };
const CONTENTS = headings.map(({ id, title, section }) => ({
  id,
  section,
  title: title.replace(/ (of )?a user group/, ""),
}));

/** Calls with code snippets, and their bodies. */
const PROGRAMS: Record<string, { call: GroupSnippetCall; group: SnippetGroup }> = {
  getOrCreateUserGroupByQuery: {
    call: "getOrCreate",
    group: { ...EXAMPLE, name: "Example 1", mapping: { 40: "213", 134: "386" }, properties: { filterValue: "value" } },
  },
  updateUserGroup: { call: "update", group: { ...EXAMPLE, properties: { filterValue: "other" } } },
  rotateUserGroupToken: { call: "rotate", group: EXAMPLE },
};

function snippetsOf({ operation: { operationId = "" } }: DescribedCall) {
  const program = PROGRAMS[operationId];
  return program && <CallSnippets {...program} />;
}

/** The API reference, rendered from the OpenAPI description. Needs no sign-in. */
export function DocsPage() {
  return (
    <>
      <SkipLink />
      <DocsHeader />
      <div className="mx-auto max-w-340 px-4 pb-24 sm:px-6 wide:grid wide:grid-cols-[208px_minmax(0,1fr)] wide:gap-10">
        <Contents />
        <main id="content" tabIndex={-1} className="flex min-w-0 flex-col gap-8 py-8 outline-none">
          <Start />
          {CALLS.map((call) => (
            <Call key={call.operation.operationId} call={call} snippets={snippetsOf(call)} />
          ))}
          <AsQuery />
          <Errors />
          <Limits />
          <Health />
        </main>
      </div>
    </>
  );
}

function DocsHeader() {
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-2 border-border border-b bg-surface px-4 sm:px-6">
      <p className="flex min-w-0 items-center gap-2.5 font-semibold">
        <span aria-hidden className="size-3 shrink-0 rotate-45 rounded-[3px] bg-accent" />
        <span className="max-sm:sr-only">User groups</span>
        <span className="truncate font-normal text-text-muted">API reference</span>
      </p>
      <div className="flex-1" />
      <ThemeMenu />
      <a href="/" className={buttonLook()}>
        Dashboard
      </a>
    </header>
  );
}

/** A sidebar, or collapsed on narrow screens. */
function Contents() {
  const list = (
    <ul className="flex flex-col">
      {CONTENTS.map(({ id, title, section }, at) => (
        <li key={id}>
          {at > 0 && CONTENTS[at - 1]?.section !== section && (
            <p className="px-2 pt-5 pb-1 font-medium text-2xs text-text-muted">{section}</p>
          )}
          <a
            href={`#${id}`}
            className={cn(
              "flex min-h-7.5 items-center rounded-md px-2 py-1 font-medium text-text-secondary leading-4.5",
              "hover:bg-hover hover:text-text pointer-coarse:min-h-control",
            )}
          >
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
  return (
    <nav aria-label="On this page">
      <div className="sticky top-12 -mx-2 hidden max-h-[calc(100dvh-48px)] overflow-y-auto px-2 py-8 wide:block">
        {list}
      </div>
      <details className="mt-4 rounded-md border border-border bg-surface px-3 py-2 wide:hidden">
        <summary className="min-h-6 cursor-pointer font-medium">On this page</summary>
        <div className="pt-3 pb-1">{list}</div>
      </details>
    </nav>
  );
}
