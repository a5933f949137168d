import { itemsOf } from "@/lib/json/exact-json";

// Changes one member of a JSON object's text, without white space between tokens: the others keep their bytes and their
// order.

/** Removes a member, if it is there. */
export function deleteMember(object: string, name: string): string {
  const kept = itemsOf(object).filter((member) => member.name !== name);
  return `{${kept.map(({ key, text }) => `${key}:${text}`).join(",")}}`;
}

/** Gives a member another name, which no other one has, in its place. */
export function renameMember(object: string, name: string, to: string): string {
  const renamed = itemsOf(object).map((one) => `${one.name === name ? JSON.stringify(to) : one.key}:${one.text}`);
  return `{${renamed.join(",")}}`;
}
