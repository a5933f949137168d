"use client";

import { readTable } from "@/components/json-editor/rows";
import { Chip } from "@/components/ui/chip";
import type { Group } from "@/lib/groups/queries";

const MAX_CHIPS = 8;
const MAX_SCHEMAS = 6;

/** What the group's viewers see: a drawing of a dashboard, with the group's own properties and data sources. */
export function EmbedPreview({ group: { name, properties, mapping } }: { group: Group }) {
  const values = readTable(properties ?? "")?.rows ?? [];
  const schemas = readTable(mapping)?.rows ?? [];
  return (
    <section aria-labelledby="preview-title" className="flex min-w-0 flex-col gap-2">
      <h3 id="preview-title" className="break-words font-semibold">
        What {name} sees
      </h3>
      <div className="flex flex-col gap-3 rounded-xl border border-border bg-sunken p-3.5">
        <ul aria-label="Properties" className="flex flex-wrap gap-1.5">
          {values.slice(0, MAX_CHIPS).map(({ key, literal }) => (
            <li key={key} className="flex min-w-0">
              <Chip by={key}>
                <span className="truncate">
                  {key} {wordOf(literal)}
                </span>
              </Chip>
            </li>
          ))}
          {values.length > MAX_CHIPS && (
            <li className="text-text-muted text-xs">and {values.length - MAX_CHIPS} more</li>
          )}
          {values.length === 0 && <li className="text-text-muted text-xs">No properties</li>}
        </ul>
        <Drawing />
        <ul aria-label="Data sources" className="flex flex-wrap gap-x-4 gap-y-1 text-text-secondary text-xs">
          {schemas.slice(0, MAX_SCHEMAS).map(({ key, literal }) => (
            <li key={key} className="min-w-0 break-all">
              schema <span className="font-mono">{key}</span> <span aria-hidden>→</span>
              <span className="sr-only">reads from</span> <span className="font-mono">{wordOf(literal)}</span>
            </li>
          ))}
          {schemas.length > MAX_SCHEMAS && <li>and {schemas.length - MAX_SCHEMAS} more</li>}
          {schemas.length === 0 && <li>No mapping: dashboards read their own data sources.</li>}
        </ul>
      </div>
    </section>
  );
}

/** A value as it reads: a text without its quotes, anything else as spelled. */
function wordOf(literal: string): string {
  const text = literal.startsWith('"') ? String(JSON.parse(literal)) : literal;
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}

function Drawing() {
  return (
    <svg aria-hidden viewBox="-1 -1 406 162" className="w-full fill-none">
      {[0, 139, 278].map((x) => (
        <rect key={x} x={x} width={126} height={42} rx={5} className="fill-raised stroke-border" />
      ))}
      {[12, 151, 290].map((x) => (
        <g key={x} className="fill-text/10">
          <rect x={x} y={11} width={34} height={5} rx={2.5} />
          <rect x={x} y={23} width={58} height={8} rx={2.5} />
        </g>
      ))}
      <rect y={55} width={265} height={105} rx={5} className="fill-raised stroke-border" />
      <path
        d="m15 136 35-26 35 15 39-42 36 19 42-35 38 9"
        className="stroke-spark forced-colors:stroke-[CanvasText]"
        strokeOpacity={0.75}
        strokeWidth={2}
        strokeLinejoin="round"
        strokeLinecap="round"
      />
      <rect x={278} y={55} width={126} height={105} rx={5} className="fill-raised stroke-border" />
      {[
        [297, 38],
        [320, 55],
        [343, 29],
        [366, 68],
      ].map(([x = 0, height = 0]) => (
        <rect
          key={x}
          x={x}
          y={145 - height}
          width={15}
          height={height}
          className="fill-spark forced-colors:fill-[CanvasText]"
          fillOpacity={0.45}
        />
      ))}
    </svg>
  );
}
