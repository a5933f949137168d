import { CodeBlock } from "@/components/code-block";
import { BaseUrl } from "@/components/docs/base-url";
import { Rows, Section } from "@/components/docs/parts";
import { Prose, Words } from "@/components/docs/prose";
import { ERRORS } from "@/lib/errors";
import { callsOf, exampleOf, reference } from "@/lib/openapi/reference";

const LEAD_PARAGRAPHS = 2;

function splitAfter(text: string, count: number): string[] {
  const paragraphs = text.split("\n\n");
  return [paragraphs.slice(0, count), paragraphs.slice(count)].map((part) => part.join("\n\n"));
}

export function Start() {
  // The lead is what a first call needs; what applies to every call comes after the table.
  const [lead = "", rest = ""] = splitAfter(reference.info.description ?? "", LEAD_PARAGRAPHS);
  const scheme = reference.components?.securitySchemes?.ApiToken;
  return (
    <section id="start" className="flex max-w-180 scroll-mt-16 flex-col gap-6">
      <h1 className="font-semibold text-xl">API reference</h1>
      <div className="flex flex-col gap-3 text-base">
        <Prose text={lead} />
      </div>
      <dl className="grid gap-x-4 gap-y-3 sm:grid-cols-[140px_minmax(0,1fr)] sm:gap-y-2">
        <dt className="font-medium">Base URL</dt>
        <dd>
          <BaseUrl />
        </dd>
        <dt className="font-medium">Credential</dt>
        <dd className="text-text-muted">
          <Words text={scheme?.description ?? ""} /> An owner or admin creates one under API tokens.
        </dd>
        <dt className="font-medium">For tools</dt>
        <dd>
          <a href="/openapi.json" className="text-accent underline underline-offset-2">
            OpenAPI 3.1 description
          </a>
        </dd>
      </dl>
      <div className="flex flex-col gap-3 text-base">
        <Prose text={rest} />
      </div>
    </section>
  );
}

const QUERY_INTRO =
  "`GET /api/user` also takes its fields as query parameters, with `mapping` and `properties` as percent-encoded " +
  "JSON. Queries end up in logs along the way: prefer a body for private data.";
const QUERY =
  "GET /api/user?user_group_id=example_1&name=Example%201&properties=%7B%22filterValue%22%3A%22value%22%7D\n" +
  "Authorization: Token …";

export function AsQuery() {
  return (
    <Section id="query" title="Get or create by query" intro={QUERY_INTRO}>
      <CodeBlock what="query form" text={QUERY} />
    </Section>
  );
}

const ERRORS_INTRO =
  "All errors have the same shape: `code` for programs, `message` for people, and `issues` with `invalid_fields` " +
  "only. After a 503, the change may or may not have been made: check with GET. An `Idempotency-Key` makes it safe " +
  "to repeat a rotation or a batch.";

export function Errors() {
  return (
    <Section id="errors" title="Errors" intro={ERRORS_INTRO}>
      <CodeBlock what="error" text={JSON.stringify(exampleOf("Failure"), null, 2)} />
      <Rows
        label="Error codes"
        columns={["Status", "Code", "When"]}
        rows={Object.entries(ERRORS).map(([code, { status, when }]) => [String(status), `\`${code}\``, when])}
      />
    </Section>
  );
}

export function Limits() {
  return (
    <Section
      id="limits"
      title="Limits"
      intro="The operator can change the last three limits. After a 429, wait for the time in Retry-After."
    >
      <Rows
        label="Limits"
        columns={["Limit", "At most", "Error code"]}
        rows={reference["x-limits"].map(({ what, limit, code }) => [what, limit, `\`${code}\``])}
      />
    </Section>
  );
}

export function Health() {
  return (
    <Section
      id="health"
      title="Health"
      intro="For load balancers, monitoring and deployment. Only the last call takes a credential: an API token."
    >
      <Rows
        label="Health"
        columns={["Call", "Summary", "Details"]}
        rows={callsOf("Health").map(({ method, path, operation }) => [
          `\`${method} ${path}\``,
          operation.summary ?? "",
          operation.description ?? "",
        ])}
      />
    </Section>
  );
}
