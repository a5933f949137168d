import { ApiTokenProvider } from "@/components/docs/api-token";
import { Call } from "@/components/docs/call";
import { Contents } from "@/components/docs/contents";
import { DocsHeader } from "@/components/docs/docs-header";
import { AsQuery, Errors, Health, Limits, Start } from "@/components/docs/sections";
import { SkipLink } from "@/components/skip-link";
import { CallSnippets } from "@/components/snippets/call-snippets";
import headings from "@/docs/headings.json" with { type: "json" };
import { SECTIONS } from "@/lib/openapi/headings";
import { bodyOf, callsOf, type DescribedCall } from "@/lib/openapi/reference";
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

/** An earlier call with the same body and response. */
function likeOther(call: DescribedCall): DescribedCall | undefined {
  const shapes = ({ operation }: DescribedCall) =>
    JSON.stringify([bodyOf(operation)?.content, operation.responses?.["200"]]);
  return CALLS.slice(0, CALLS.indexOf(call)).find((one) => shapes(one) === shapes(call));
}

/** The API reference, rendered from the OpenAPI description. Needs no sign-in. */
export function DocsPage() {
  return (
    <>
      <SkipLink />
      <DocsHeader />
      <div className="mx-auto max-w-340 px-4 pb-24 sm:px-6 wide:grid wide:grid-cols-[208px_minmax(0,1fr)] wide:gap-10">
        <Contents headings={CONTENTS} />
        <main id="content" tabIndex={-1} className="flex min-w-0 flex-col gap-8 py-8 outline-none">
          <Start />
          <ApiTokenProvider>
            {CALLS.map((call) => (
              <Call
                key={call.operation.operationId}
                call={call}
                likeOther={likeOther(call)}
                snippets={snippetsOf(call)}
              />
            ))}
          </ApiTokenProvider>
          <AsQuery />
          <Errors />
          <Limits />
          <Health />
        </main>
      </div>
    </>
  );
}
