// Draws a run's figures into docs/performance.svg, and writes them as a table into docs/performance.md:
//   npx tsx bench/chart.ts bench/results/DATE.json
import { readFileSync, writeFileSync } from "node:fs";
import type { Result } from "./compare";
import { HALF, P99_AT_HALF } from "./goals";
import type { OpenResult } from "./open-loop";
import type { Circumstances } from "./report";

interface Figures extends Circumstances {
  tool: string;
  groups: number;
  rounds: number;
  seconds: number;
  results: Result[];
  openLoop: OpenResult[];
}

const DOCUMENT = "docs/performance.md";
const CHART = "docs/performance.svg";
const TABLE = /(?<=<!-- figures -->\n)[\s\S]*(?=<!-- \/figures -->)/;
const NAMES = ["ours", "bare", "pgbench", "node", "plain"];
/** A contender without errors; the speed of failures is no figure. */
const isSound = (contender: { errors: number } | undefined) => contender?.errors === 0;
const LABELS: Record<string, string> = {
  ours: "this service",
  bare: "bare server",
  pgbench: "pgbench",
  node: "node:http alone",
  plain: "plain way",
};

const SIZE = { width: 860, left: 110, right: 110, top: 62, bar: 14, gap: 30 };
const STYLE = `
  svg { font: 12px system-ui, sans-serif; background: #ffffff; }
  text { fill: #1f2328; } .quiet { fill: #59636e; } .title { font-weight: 600; font-size: 14px; }
  .ours { fill: #1a7f5a; } .bare { fill: #6e7781; } .pgbench { fill: #b6bdc5; } .node { fill: #d8dde2; } .plain { fill: #d4872b; }
  .one { stroke: #6e7781; stroke-dasharray: 3 3; } .goal { stroke: #1f2328; stroke-width: 2; }
  @media (prefers-color-scheme: dark) {
    svg { background: #0d1117; }
    text { fill: #e6edf3; } .quiet { fill: #9198a1; }
    .ours { fill: #3fb984; } .bare { fill: #848d97; } .pgbench { fill: #4a525b; } .node { fill: #343b43; } .plain { fill: #e3a04f; }
    .one { stroke: #848d97; } .goal { stroke: #e6edf3; }
  }`;

const [file = ""] = process.argv.slice(2);
const figures = JSON.parse(readFileSync(file, "utf8")) as Figures;
const document = readFileSync(DOCUMENT, "utf8");
if (!TABLE.test(document)) throw new Error(`${DOCUMENT} has no place for the table.`);
writeFileSync(
  DOCUMENT,
  document.replace(TABLE, () => `\n${figuresOf(figures)}\n`),
);
writeFileSync(CHART, chartOf(figures));

function titleOf({ what, connections }: Result): string {
  return `${what}, ${connections} ${connections === 1 ? "connection" : "connections"}`;
}

function whole(value: number): string {
  return value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",");
}

function figuresOf(figures: Figures): string {
  const { date, command, machine, commit, tool, groups, rounds, seconds, results, openLoop } = figures;
  const made = `\`${command}\` on ${date}: ${machine}; commit ${commit}; ${tool}; ${whole(groups)} groups, ${rounds} rounds of ${seconds} s.`;
  const closed = tableOf(
    ["Load", "", "req/s", "p50 ms", "p99 ms", "CPU s", "RSS MiB", "req/s ratio", "p99 ratio"],
    results.map((result) => [titleOf(result), result.contenders, (name) => cellsOf(result, name)]),
  );
  const open = tableOf(
    ["GET existing", "", "answered/s", "p50 ms", "p99 ms", "p99.9 ms", "lag p50 ms", "lag p99 ms", "lag max ms"],
    openLoop.map((result) => [rateOf(result), result.contenders, (name) => openCellsOf(result, name)]),
  );
  return `${made}\n\n${closed}\n${open}`;
}

type Row = [title: string, contenders: Record<string, { errors: number }>, cells: (name: string) => string[]];

/** A table with two text columns first: a load's title, and one line per contender. */
function tableOf(head: string[], rows: Row[]): string {
  const lines = [head];
  for (const [title, contenders, cells] of rows) {
    for (const [at, name] of NAMES.filter((name) => isSound(contenders[name])).entries()) {
      lines.push([at === 0 ? title : "", LABELS[name] ?? name, ...cells(name)]);
    }
  }
  const widths = head.map((_, column) => Math.max(...lines.map((cells) => cells[column]?.length ?? 0)));
  const aligned = lines.map((cells) =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? "";
        return column < 2 ? cell.padEnd(width) : cell.padStart(width);
      })
      .join("  ")
      .trimEnd(),
  );
  return `\`\`\`\n${aligned.join("\n")}\n\`\`\`\n`;
}

function rateOf({ share, rate }: OpenResult): string {
  return `${whole(rate)} req/s (${share * 100} %)`;
}

function openCellsOf({ share, contenders }: OpenResult, name: string): string[] {
  const kept = contenders[name];
  if (!kept) return [];
  const { perSecond, p50, p99, p999, lag } = kept;
  const goal = name === "ours" && share === HALF ? ` (goal ${P99_AT_HALF})` : "";
  return [
    whole(perSecond),
    p50.toFixed(2),
    `${p99.toFixed(2)}${goal}`,
    ...[p999, lag.p50, lag.p99, lag.max].map((time) => time.toFixed(2)),
  ];
}

function cellsOf({ contenders, requests, p99, goal }: Result, name: string): string[] {
  const summary = contenders[name];
  if (!summary) return [];
  const { perSecond, spread, cpu, rss } = summary;
  const ratio = requests[name];
  return [
    `${whole(perSecond)} ± ${(spread * 50).toFixed(0)} %`,
    summary.p50.toFixed(2),
    summary.p99.toFixed(2),
    cpu === null ? "" : cpu.toFixed(2),
    rss === null ? "" : rss.toFixed(0),
    ratio ? `${ratio.median.toFixed(2)}${name === "bare" ? ` (goal ${goal})` : ""}` : "",
    p99[name]?.median.toFixed(2) ?? "",
  ];
}

function chartOf({ results, date, commit, machine }: Figures): string {
  const { width, left, right, top, bar, gap } = SIZE;
  const multiple = (result: Result, name: string) =>
    (result.contenders[name]?.perSecond ?? 0) / (result.contenders.bare?.perSecond ?? Number.NaN);
  const most = Math.max(...results.flatMap((result) => NAMES.map((name) => multiple(result, name))));
  const x = (value: number) => left + (value / most) * (width - left - right);
  const shapes: string[] = [];
  let y = top;
  for (const result of results) {
    const shown = NAMES.filter((name) => isSound(result.contenders[name]));
    shapes.push(`<text x="12" y="${y}">${titleOf(result)}</text>`);
    y += 6;
    for (const name of shown) {
      const length = Math.max(1, x(multiple(result, name)) - left).toFixed(1);
      const speed = whole(result.contenders[name]?.perSecond ?? 0);
      const base = y + bar - 4;
      shapes.push(
        `<text class="quiet" x="${left - 8}" y="${base}" text-anchor="end">${LABELS[name]}</text>`,
        `<rect class="${name}" x="${left}" y="${y}" width="${length}" height="${bar - 2}"/>`,
        `<text class="quiet" x="${width - 12}" y="${base}" text-anchor="end">${speed} req/s</text>`,
      );
      const goal = x(result.goal).toFixed(1);
      if (name === "ours") shapes.push(`<path class="goal" d="M${goal} ${y - 2}V${y + bar}"/>`);
      y += bar;
    }
    y += gap;
  }
  const one = x(1).toFixed(1);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y - gap + 16}" role="img">
<title>Requests per second relative to the bare server</title>
<style>${STYLE}
</style>
<text class="title" x="12" y="20">Requests per second, as multiples of the bare server's</text>
<text class="quiet" x="12" y="38">Dashed: the bare server. Thick: the goal. ${date}, commit ${commit}, ${machine.replace(/[<&]/g, "")}</text>
<path class="one" d="M${one} ${top + 4}V${y - gap + 6}"/>
${shapes.join("\n")}
</svg>
`;
}
