import type { ReactNode } from "react";
import type { oas31 } from "zod-openapi";
import { CodeBlock } from "@/components/code-block";
import { Fields, Parameters } from "@/components/docs/fields";
import { Prose, Words } from "@/components/docs/prose";
import { cn } from "@/lib/browser/class-name";
import { bodyOf, type DescribedCall, follow, ownFailures } from "@/lib/openapi/reference";

const METHOD_LOOKS: Record<string, string> = {
  GET: "bg-hue-2 text-hue-2-text",
  POST: "bg-hue-1 text-hue-1-text",
  PUT: "bg-hue-3 text-hue-3-text",
  PATCH: "bg-hue-3 text-hue-3-text",
  DELETE: "bg-hue-4 text-hue-4-text",
};

interface CallProps {
  call: DescribedCall;
  snippets?: ReactNode;
}

/** One call: description and fields on the left, code on the right. */
export function Call({ call: { method, path, operation }, snippets }: CallProps) {
  const { operationId, summary = "", description = "" } = operation;
  const sent = mediaType(bodyOf(operation));
  const answer = mediaType(operation.responses?.["200"]);
  return (
    <section
      id={operationId}
      aria-labelledby={`${operationId}-title`}
      className={cn(
        "grid scroll-mt-16 items-start gap-x-10 gap-y-6 border-border border-t pt-8",
        "xl:grid-cols-2 xl:grid-rows-[auto_1fr]",
      )}
    >
      <div className="flex min-w-0 flex-col gap-6">
        <header className="flex flex-col gap-2">
          <h2 id={`${operationId}-title`} className="font-semibold text-lg">
            {summary}
          </h2>
          <p className="flex items-center gap-2 font-mono text-xs">
            <span className={cn("rounded-sm px-1.5 py-0.5 font-semibold", METHOD_LOOKS[method])}>{method}</span>
            <span className="break-all">{path}</span>
          </p>
        </header>
        <div className="flex flex-col gap-3 text-base">
          <Prose text={description} />
        </div>
      </div>
      <div className="flex min-w-0 flex-col gap-6 xl:col-start-2 xl:row-span-2 xl:row-start-1">
        {snippets && <Part title="Call it">{snippets}</Part>}
        {!snippets && sent && (
          <Part title="Example body">
            <CodeBlock what={`body of ${summary}`} text={JSON.stringify(firstExample(sent), null, 2)} />
          </Part>
        )}
        {answer && (
          <Part title="Example response">
            <CodeBlock what={`response of ${summary}`} text={JSON.stringify(firstExample(answer), null, 2)} />
          </Part>
        )}
      </div>
      <Details operation={operation} />
    </section>
  );
}

/** What a call takes and returns. */
function Details({ operation }: Pick<DescribedCall, "operation">) {
  const { summary = "" } = operation;
  const { header, inPath, inQuery } = parametersOf(operation);
  const sent = mediaType(bodyOf(operation));
  const answer = mediaType(operation.responses?.["200"]);
  const files = fileTypes(operation.responses?.["200"]);
  const failures = ownFailures(operation);
  return (
    <div className="flex min-w-0 flex-col gap-6">
      {inPath.length > 0 && (
        <Part title="Path">
          <Parameters label={`Path of ${summary}`} parameters={inPath} />
        </Part>
      )}
      {inQuery.length > 0 && (
        <Part title={sent ? "Query, instead of a body" : "Query"}>
          <Parameters label={`Query of ${summary}`} parameters={inQuery} />
        </Part>
      )}
      {sent?.schema && (
        <Part title="Body">
          <Fields label={`Body of ${summary}`} schema={sent.schema} saysRequired />
        </Part>
      )}
      {header && (
        <Part title="Optional header">
          <p className="text-text-muted">
            <code className="mr-2 font-medium font-mono text-text text-xs">{header.name}</code>
            <Words text={header.description ?? ""} />
          </p>
        </Part>
      )}
      {answer?.schema && (
        <Part title="Response">
          <Fields label={`Response of ${summary}`} schema={answer.schema} />
        </Part>
      )}
      {files.length > 0 && (
        <Part title="Response">
          <p className="text-text-muted">
            <Words text={`A file: ${files.map((type) => `\`${type}\``).join(" or ")}.`} />
          </p>
        </Part>
      )}
      {failures.length > 0 && (
        <Part title="Specific errors">
          <ul className="flex flex-col gap-1 text-text-muted">
            {failures.map(({ status, description }) => (
              <li key={status}>
                {status} <Words text={description} />
              </li>
            ))}
          </ul>
        </Part>
      )}
    </div>
  );
}

function parametersOf({ parameters = [] }: DescribedCall["operation"]) {
  const all = parameters.map((one) => follow<oas31.ParameterObject>(one));
  const within = (place: string) => all.filter((one) => one.in === place);
  return { header: within("header")[0], inPath: within("path"), inQuery: within("query") };
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="flex flex-col gap-3">
      <h3 className="font-medium">{title}</h3>
      {children}
    </div>
  );
}

function mediaType(thing: oas31.RequestBodyObject | oas31.ResponseObject | oas31.ReferenceObject | undefined) {
  return thing && follow<oas31.RequestBodyObject | oas31.ResponseObject>(thing).content?.["application/json"];
}

/** The media types of a response that is a file. */
function fileTypes(thing: oas31.ResponseObject | oas31.ReferenceObject | undefined): string[] {
  const types = Object.keys((thing && follow<oas31.ResponseObject>(thing).content) ?? {});
  return types.filter((type) => type !== "application/json");
}

function firstExample(media: oas31.MediaTypeObject | undefined): unknown {
  const [example] = Object.values(media?.examples ?? {});
  return example && "value" in example ? example.value : undefined;
}
