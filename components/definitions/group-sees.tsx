"use client";

import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { parseDefinitions } from "@/components/definitions/guides";
import { SOURCE_WORDS, ValueText } from "@/components/definitions/value-text";
import { Failure } from "@/components/failure";
import { sentence } from "@/components/form-issues";
import { PageLink } from "@/components/page-link";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { compile } from "@/lib/definitions/check";
import { definitionsQuery, type StoredDefinitions } from "@/lib/definitions/queries";
import type { Variable } from "@/lib/definitions/schema";
import type { Group } from "@/lib/groups/queries";

/** What a group's dashboards see: its values with the defaults, and its problems. */
export function GroupSees({ group }: { group: Group }) {
  const { data, error, refetch } = useQuery(definitionsQuery(useEnvironmentSlug()));
  return (
    <div className="flex max-w-220 flex-col gap-8">
      {data ? (
        <Effective group={group} stored={data} />
      ) : error ? (
        <Failure title="The definitions could not be loaded" error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton className="h-40 rounded-lg" />
      )}
    </div>
  );
}

function Effective({ group: { properties, mapping }, stored }: { group: Group; stored: StoredDefinitions }) {
  const slug = useEnvironmentSlug();
  const { effective, propertiesFindings, mappingFindings } = useMemo(() => compile(parseDefinitions(stored)), [stored]);
  const variables = effective(properties);
  const findings = [...propertiesFindings(properties), ...mappingFindings(mapping)];
  const isOff = stored.enforcement === "off";
  return (
    <>
      {findings.length > 0 && (
        <Notice
          tone="warning"
          title={findings.length === 1 ? "This group has a problem" : `This group has ${findings.length} problems`}
        >
          <ul aria-label="Problems" className="flex flex-col gap-0.5">
            {findings.map(({ member, name, message }) => (
              <li key={`${member} ${name} ${message}`} className="break-words">
                {member === "mapping" ? "Schema " : ""}
                <code className="break-all font-mono text-xs">{name === "" ? '""' : name}</code>{" "}
                {sentence(message)?.replace(/^./, (first) => first.toLowerCase())}
              </li>
            ))}
          </ul>
        </Notice>
      )}
      <section aria-label="Variables" className="flex flex-col gap-2">
        <div>
          <h2 className="font-semibold text-base">Variables</h2>
          <p className="text-text-muted text-xs">
            {isOff ? "The group’s own properties. " : "Its properties, with the defaults of the definitions. "}
            {isOff && (
              <>
                <PageLink href={`/${slug}/settings/definitions`} className="underline underline-offset-2">
                  Definitions
                </PageLink>{" "}
                are off: nothing has a default.
              </>
            )}
          </p>
        </div>
        {variables.length > 0 ? (
          <VariableTable variables={variables} />
        ) : (
          <p className="text-text-muted">This group has no properties.</p>
        )}
      </section>
    </>
  );
}

function VariableTable({ variables }: { variables: Variable[] }) {
  return (
    <div className="overflow-hidden rounded-lg border border-border">
      <table className="w-full table-fixed">
        <thead>
          <tr className="bg-sunken text-left text-text-muted text-xs leading-7.5">
            <th className="px-3 font-medium">Name</th>
            <th className="px-3 font-medium">Value</th>
            <th className="w-24 px-3 font-medium sm:w-40">From</th>
          </tr>
        </thead>
        <tbody>
          {variables.map(({ name, value, source }) => (
            <tr key={name} className="border-border border-t align-top">
              <td className="break-all px-3 py-2 font-mono text-xs leading-5">{name === "" ? '""' : name}</td>
              <td className="px-3 py-2">
                <ValueText text={value.text} />
              </td>
              <td className="px-3 py-2 text-text-secondary text-xs leading-5">{SOURCE_WORDS[source]}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
