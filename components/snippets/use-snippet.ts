import { storedChoice } from "@/components/ui/stored-choice";
import { useOrigin } from "@/components/use-in-browser";
import type { SnippetCall, SnippetGroup } from "@/lib/snippets/request";
import { LANGUAGE_IDS, LANGUAGES, snippet } from "@/lib/snippets/snippet";

/** The language of all snippets. */
const language = storedChoice("snippet-language", LANGUAGE_IDS);

export const LANGUAGE_OPTIONS = LANGUAGE_IDS.map((value) => ({ value, label: LANGUAGES[value].name }));

/** A call as a program in the language that was chosen last in this browser. */
export function useSnippet(call: SnippetCall, group: SnippetGroup) {
  const chosen = language.useChoice() ?? "curl";
  const baseUrl = useOrigin();
  return { language: chosen, setLanguage: language.choose, ...snippet(chosen, call, { baseUrl, group }) };
}
