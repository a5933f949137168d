import type { Checker } from "@/lib/definitions/check";
import type { ValueFinding, ValueFindingKind } from "@/lib/definitions/schema";
import type { KnownDefinitions } from "@/lib/definitions/service";
import { type FieldIssue, invalidFields, sayMore } from "@/lib/errors";
import type { RawJson } from "@/lib/json/raw-json";
import { meter } from "@/lib/telemetry/current";

/** Parts of a group that a change sets; undefined for unchanged parts. */
interface Members {
  mapping?: string | undefined;
  properties?: string | null | undefined;
}

/** A group before a change. */
interface Group {
  mapping: string;
  properties: string | null;
}

/**
 * Judges a creation or a change as {@link judge} does, and returns its warnings.
 * @throws {AppError} `invalid_fields` when they are enforced
 */
export function requireDefined(known: KnownDefinitions, members: Members, was?: Group): FieldIssue[] {
  const { refusals, warnings } = judge(known, members, was);
  if (refusals.length > 0) throw invalidFields(refusals);
  return warnings;
}

/** The definitions' verdict on a change. */
interface Verdict {
  /** why they refuse it; empty if they only report */
  refusals: FieldIssue[];
  /** the problems that they only report */
  warnings: FieldIssue[];
}

/**
 * Judges a write, and counts its findings unless it is planned and not refused: a creation as a whole, and of a change
 * the members that it removes or gives another value than the group had before.
 */
export function judge(known: KnownDefinitions, members: Members, was: Group | undefined, isPlan = false): Verdict {
  const { enforcement, creations } = known.document;
  if (enforcement === "off") return { refusals: [], warnings: [] };
  const isEnforced = enforcement === "enforce" && (was !== undefined || creations === "enforce");
  const findings = (isPlan && !isEnforced ? findingsIn : countedFindings)(known, members, was);
  const issues = issuesOf(findings);
  return isEnforced ? { refusals: issues, warnings: [] } : { refusals: [], warnings: issues };
}

/** Whether the definitions may refuse a change, so that it has to be compared with the group before it. */
export function mayRefuse(known: KnownDefinitions, members: Members): boolean {
  return known.document.enforcement === "enforce" && findingsIn(known, members).length > 0;
}

/** Counts the findings of a change where definitions only report. */
export function countReported(known: KnownDefinitions, members: Members) {
  if (known.document.enforcement === "report") countedFindings(known, members);
}

/** The findings of a write, counted in the metric. */
function countedFindings(known: KnownDefinitions, members: Members, was?: Group): ValueFinding[] {
  const findings = findingsIn(known, members, was);
  for (const finding of findings) meter()?.found(finding.kind);
  return findings;
}

function findingsIn(
  { mappingFindings, propertiesFindings }: Checker,
  { mapping, properties }: Members,
  was?: Group,
): ValueFinding[] {
  return [
    ...(mapping === undefined ? [] : mappingFindings(mapping, was?.mapping)),
    ...(properties === undefined ? [] : propertiesFindings(properties, was?.properties)),
  ];
}

/**
 * Counts the values with which a viewer token overrides properties and which contradict their definitions.
 * @throws {AppError} `invalid_fields` when definitions are enforced
 */
export function requireDefinedValues(known: KnownDefinitions, variables: string) {
  const findings = known.propertiesFindings(variables).filter(({ kind }) => OF_VALUES.includes(kind));
  for (const { kind } of findings) meter()?.found(kind);
  if (findings.length === 0 || known.document.enforcement !== "enforce") return;
  throw invalidFields(findings.map(({ name, message }) => ({ path: ["variables", name], message })));
}

const OF_VALUES: readonly ValueFindingKind[] = ["wrong_type", "not_in_enum"];

/** The effect of definitions on a group. */
export interface Effect {
  /** its properties with the defaults, exact */
  variables: RawJson;
  issues: GroupIssue[];
}

/** A group's violation of the definitions. */
export interface GroupIssue extends Omit<FieldIssue, "path"> {
  path: string[];
  kind: ValueFindingKind;
}

/** The effect of definitions on a group; undefined where they are off. */
export function effectOf(
  known: KnownDefinitions,
  { mapping = "{}", properties }: Pick<Members, "mapping"> & Pick<Group, "properties">,
): Effect | undefined {
  if (known.document.enforcement === "off") return undefined;
  return {
    variables: known.variables(properties),
    issues: findingsIn(known, { mapping, properties }).map(groupIssueOf),
  };
}

/**
 * The problems of a restored group, counted in the metric: they never refuse the restoration. Undefined where
 * definitions are off.
 */
export function restoredIssues(known: KnownDefinitions, group: Group): GroupIssue[] | undefined {
  if (known.document.enforcement === "off") return undefined;
  return countedFindings(known, group).map(groupIssueOf);
}

/** A group's properties with the defaults, as JSON text; unchanged where definitions are off. */
export function withDefaults(known: KnownDefinitions, properties: string | null): string | null {
  return known.document.enforcement === "off" ? properties : known.variables(properties).text;
}

/** The most problems of a group to name in a refusal: a batch has hundreds of groups, and an import any number. */
const MAX_ISSUES = 50;

function issuesOf(findings: ValueFinding[]): FieldIssue[] {
  const named = findings.slice(0, MAX_ISSUES).map(({ member, name, message }) => ({ path: [member, name], message }));
  return sayMore(named, findings.length - MAX_ISSUES, (count) => `and ${count} more problems`);
}

function groupIssueOf({ member, name, kind, message }: ValueFinding): GroupIssue {
  return { path: [member, name], kind, message };
}
