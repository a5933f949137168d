import { CodeBlock } from "@/components/code-block";
import { BaseUrl } from "@/components/docs/base-url";
import { Rows, Section, TextLink } from "@/components/docs/parts";
import { Prose, Words } from "@/components/docs/prose";
import { ERRORS } from "@/lib/errors";
import { callsOf, exampleOf, reference } from "@/lib/openapi/reference";

/** What to know before the first call. */
export function Start() {
  const { description = "" } = reference.info;
  const scheme = reference.components?.securitySchemes?.ApiToken;
  return (
    <section id="start" className="flex max-w-180 scroll-mt-16 flex-col gap-6">
      <h1 className="font-semibold text-xl">API reference</h1>
      <div className="flex flex-col gap-3 text-base">
        <Prose text={description} />
      </div>
      <dl className="grid gap-x-4 gap-y-3 sm:grid-cols-[140px_minmax(0,1fr)] sm:gap-y-2">
        <dt className="font-medium">Base URL</dt>
        <dd>
          <BaseUrl />
        </dd>
        <dt className="font-medium">Credential</dt>
        <dd className="text-text-muted">
          <Words text={scheme?.description ?? ""} /> An owner or admin makes one under Settings, API tokens.
        </dd>
        <dt className="font-medium">For tools</dt>
        <dd className="flex flex-wrap gap-x-4 gap-y-1">
          <TextLink href="/openapi.json">OpenAPI 3.1 description</TextLink>
          <TextLink href="/postman.json">Postman collection</TextLink>
        </dd>
      </dl>
    </section>
  );
}

/** The form of GET that needs no body. */
export function AsQuery() {
  return (
    <Section id="query" title="Get or create, as a query">
      <p className="max-w-180 text-base">
        <Words text="The fields of `GET /api/user` can stand in the query instead of a body. `mapping` and `properties` are JSON there, percent-encoded like all the rest. A query ends up in logs on the way: prefer a body for what is private." />
      </p>
      <CodeBlock
        what="query form"
        text={
          "GET /api/user?user_group_id=example_1&name=Example%201&properties=%7B%22filterValue%22%3A%22value%22%7D\nAuthorization: Token …"
        }
      />
    </Section>
  );
}

/** Every failure there is. */
export function Errors() {
  return (
    <Section id="errors" title="Errors">
      <p className="max-w-180 text-base">
        <Words text="Every failure has one shape. `code` is for programs, `message` says to people what to do, `issues` comes with `invalid_fields` alone. After a 503 it is not known whether the change was made, or the group created: GET tells, and an `Idempotency-Key` makes it safe to repeat a rotation." />
      </p>
      <CodeBlock what="failure" text={JSON.stringify(exampleOf("Failure"), null, 2)} />
      <Rows
        label="Error codes"
        columns={["Status", "Code", "When"]}
        rows={Object.entries(ERRORS).map(([code, { status, when }]) => [String(status), `\`${code}\``, when])}
      />
    </Section>
  );
}

/** How much is taken. */
export function Limits() {
  return (
    <Section id="limits" title="Limits">
      <p className="max-w-180 text-base">
        Whoever runs this service can set the last three otherwise. A 429 says in Retry-After when to come back.
      </p>
      <Rows
        label="Limits"
        columns={["Of what", "At most", "Beyond it"]}
        rows={reference["x-limits"].map(({ what, limit, code }) => [what, limit, `\`${code}\``])}
      />
    </Section>
  );
}

/** The calls of load balancers and of whoever sets a deployment up. */
export function Health() {
  return (
    <Section id="health" title="Health">
      <p className="max-w-180 text-base">
        For load balancers, watchdogs and whoever sets a deployment up. The last takes an API token, the others no
        credential.
      </p>
      <Rows
        label="Health"
        columns={["Call", "Answers", "That is"]}
        rows={callsOf("Health").map(({ method, path, operation }) => [
          `\`${method} ${path}\``,
          operation.summary ?? "",
          operation.description ?? "",
        ])}
      />
    </Section>
  );
}
