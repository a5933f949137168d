import { browserStore, oneOf } from "@/components/ui/browser-store";
import { useOrigin } from "@/components/use-in-browser";
import type { SnippetCall, SnippetGroup } from "@/lib/snippets/request";
import { LANGUAGE_IDS, LANGUAGES, snippet } from "@/lib/snippets/snippet";

/** The language of all snippets. */
const language = browserStore("snippet-language", oneOf(LANGUAGE_IDS));

export const LANGUAGE_OPTIONS = LANGUAGE_IDS.map((value) => ({ value, label: LANGUAGES[value].name }));

/** A call as code in the language last chosen in this browser. */
export function useSnippet(call: SnippetCall, group: SnippetGroup) {
  const chosen = language.useKept() ?? "curl";
  const baseUrl = useOrigin();
  return { language: chosen, setLanguage: language.keep, ...snippet(chosen, call, { baseUrl, group }) };
}
