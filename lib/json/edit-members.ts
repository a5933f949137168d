import { memberPlaces } from "@/lib/json/exact-json";

// Changes one member of a JSON object's text, without white space between tokens: the others keep their bytes and their
// order.

/** Replaces a member's value in its place, or appends the member; the value is JSON text. */
export function setMember(object: string, name: string, value: string): string {
  const members = memberPlaces(object);
  const kept = members.map((member) => `${member.key}:${member.name === name ? value : member.text}`);
  const isNew = members.every((member) => member.name !== name);
  return `{${[...kept, ...(isNew ? [`${JSON.stringify(name)}:${value}`] : [])].join(",")}}`;
}

/** Removes a member, if it is there. */
export function deleteMember(object: string, name: string): string {
  const kept = memberPlaces(object).filter((member) => member.name !== name);
  return `{${kept.map(({ key, text }) => `${key}:${text}`).join(",")}}`;
}

/** Gives a member another name, which no other one has, in its place. */
export function renameMember(object: string, name: string, to: string): string {
  const renamed = memberPlaces(object).map((one) => `${one.name === name ? JSON.stringify(to) : one.key}:${one.text}`);
  return `{${renamed.join(",")}}`;
}
