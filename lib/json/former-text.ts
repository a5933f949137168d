import { deleteMember, setMember } from "@/lib/json/edit-members";
import { memberTexts } from "@/lib/json/exact-json";

/**
 * Undoes a change of a JSON object's text; null has no members. What is still as the change left it gets its former
 * text to the letter, else only the members that the change touched. `changed` names those that others have changed
 * since.
 */
export function formerText(before: string | null, after: string | null, now: string | null) {
  if (now === after) return { text: before, changed: [] };
  const [was, became, is] = [before, after, now].map((text) => new Map(memberTexts(text ?? "{}")));
  if (!was || !became || !is) throw new Error("three texts have three maps");
  const touched = [...new Set([...was.keys(), ...became.keys()])].filter((key) => was.get(key) !== became.get(key));
  let text = now ?? "{}";
  for (const key of touched) {
    const value = was.get(key);
    text = value === undefined ? deleteMember(text, key) : setMember(text, key, value);
  }
  return { text, changed: touched.filter((key) => is.get(key) !== became.get(key)) };
}
