import { type Node, parseTree } from "jsonc-parser";
import { memberPlaces, memberTexts } from "@/lib/json/exact-json";

/**
 * Applies a JSON merge patch (RFC 7396) to the text of a JSON document. Members that the patch does not name keep their
 * bytes and their order, new ones are appended, and nulls remove. Both texts are valid JSON without white space between
 * tokens.
 */
export function mergePatch(target: string, patch: string): string {
  return merge({ text: target, node: parseTree(target) }, { text: patch, node: parseTree(patch) });
}

/**
 * The merge patch that turns one object's text into another, to the letter; undefined where there is none, such as for
 * nulls and for another order.
 */
export function patchBetween(was: string, wanted: string): string | undefined {
  const before = new Map(memberTexts(was));
  const after = memberPlaces(wanted);
  const kept = new Set(after.map(({ name }) => name));
  const changed = after.filter(({ name, text }) => before.get(name) !== text).map(({ key, text }) => `${key}:${text}`);
  const removed = [...before.keys()].filter((name) => !kept.has(name)).map((name) => `${JSON.stringify(name)}:null`);
  const patch = `{${[...changed, ...removed].join(",")}}`;
  return mergePatch(was, patch) === wanted ? patch : undefined;
}

/** A value, and the text that its offsets count in. */
interface Place {
  text: string;
  node: Node | undefined;
}

function merge(target: Place, patch: Place): string {
  if (patch.node?.type !== "object") return textOf(patch);
  const changes = membersOf(patch);
  const merged: string[] = [];
  for (const [name, member] of membersOf(target)) {
    const change = changes.get(name);
    changes.delete(name);
    if (!change) merged.push(textOf(member));
    else if (!isNull(change))
      merged.push(`${textOf(memberKey(member))}:${merge(memberValue(member), memberValue(change))}`);
  }
  for (const change of changes.values()) {
    if (!isNull(change)) merged.push(`${textOf(memberKey(change))}:${merge(NOTHING, memberValue(change))}`);
  }
  return `{${merged.join(",")}}`;
}

const NOTHING: Place = { text: "", node: undefined };

/** The members of an object by their names, which may be spelt in more than one way; none of any other value. */
function membersOf({ text, node }: Place): Map<string, Place> {
  const members = node?.type === "object" ? (node.children ?? []) : [];
  return new Map(members.map((member) => [String(member.children?.[0]?.value), { text, node: member }]));
}

function memberKey({ text, node }: Place): Place {
  return { text, node: node?.children?.[0] };
}

function memberValue({ text, node }: Place): Place {
  return { text, node: node?.children?.[1] };
}

function isNull(member: Place): boolean {
  return memberValue(member).node?.type === "null";
}

function textOf({ text, node }: Place): string {
  return node ? text.slice(node.offset, node.offset + node.length) : text;
}
