import { curl } from "@/lib/snippets/curl";
import { goNetHttp } from "@/lib/snippets/go";
import { java } from "@/lib/snippets/java";
import { typescript } from "@/lib/snippets/javascript";
import { pythonStandard } from "@/lib/snippets/python";
import { type ProgramRequest, requestOf, type SnippetCall, type SnippetValues } from "@/lib/snippets/request";

interface Language {
  name: string;
  /** runs the file */
  command: string;
  extension: string;
  /** the language of a code block in Markdown */
  fence: string;
  needs: string;
  write: (request: ProgramRequest) => string;
}

/** The languages of snippets, in display order. */
export const LANGUAGES = {
  curl: { name: "curl", command: "sh", extension: "sh", fence: "sh", needs: "curl 7.76 or newer", write: curl },
  typescript: {
    name: "TypeScript",
    command: "npx tsx",
    extension: "mts",
    fence: "ts",
    needs: "Node 18 or newer",
    write: typescript,
  },
  python: {
    name: "Python",
    command: "python3",
    extension: "py",
    fence: "python",
    needs: "Python 3.6 or newer",
    write: pythonStandard,
  },
  go: { name: "Go", command: "go run", extension: "go", fence: "go", needs: "Go 1.18 or newer", write: goNetHttp },
  java: { name: "Java", command: "java", extension: "java", fence: "java", needs: "Java 15 or newer", write: java },
} as const satisfies Record<string, Language>;

export type LanguageId = keyof typeof LANGUAGES;
export const LANGUAGE_IDS = Object.keys(LANGUAGES) as LanguageId[];

/** A program's text and file name. */
export interface Snippet {
  text: string;
  file: string;
}

/** A complete program in this language that makes the call, and prints the token, the answer or the error. */
export function snippet(language: LanguageId, call: SnippetCall, values: SnippetValues): Snippet {
  const { extension, write } = LANGUAGES[language];
  const { file, ...request } = requestOf(call, values);
  return { text: write(request), file: `${file}.${extension}` };
}
