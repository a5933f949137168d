import { curl } from "@/lib/snippets/curl";
import { goNetHttp } from "@/lib/snippets/go";
import { java } from "@/lib/snippets/java";
import { node, typescript } from "@/lib/snippets/javascript";
import { phpCurl } from "@/lib/snippets/php";
import { pythonRequests, pythonStandard } from "@/lib/snippets/python";
import { type Call, requestOf, type SnippetRequest, type SnippetValues } from "@/lib/snippets/request";
import { rubyNetHttp } from "@/lib/snippets/ruby";

interface Language {
  name: string;
  /** runs the file */
  command: string;
  extension: string;
  needs: string;
  write: (request: SnippetRequest) => string;
}

/** The languages of snippets, in display order. */
export const LANGUAGES = {
  curl: { name: "curl", command: "sh", extension: "sh", needs: "curl 7.76 or newer", write: curl },
  requests: {
    name: "Python, requests",
    command: "python3",
    extension: "py",
    needs: "Python 3.6 or newer with requests",
    write: pythonRequests,
  },
  python: {
    name: "Python, standard library",
    command: "python3",
    extension: "py",
    needs: "Python 3.6 or newer",
    write: pythonStandard,
  },
  node: { name: "Node", command: "node", extension: "mjs", needs: "Node 18 or newer", write: node },
  typescript: {
    name: "TypeScript",
    command: "npx tsx",
    extension: "mts",
    needs: "Node 18 or newer",
    write: typescript,
  },
  java: { name: "Java", command: "java", extension: "java", needs: "Java 15 or newer", write: java },
  go: { name: "Go", command: "go run", extension: "go", needs: "Go 1.18 or newer", write: goNetHttp },
  php: { name: "PHP", command: "php", extension: "php", needs: "PHP 8 with its curl extension", write: phpCurl },
  ruby: { name: "Ruby", command: "ruby", extension: "rb", needs: "Ruby 2.4 or newer", write: rubyNetHttp },
} as const satisfies Record<string, Language>;

export type LanguageId = keyof typeof LANGUAGES;
export const LANGUAGE_IDS = Object.keys(LANGUAGES) as LanguageId[];

const FILES: Record<Call, string> = {
  getOrCreate: "get-or-create",
  update: "update",
  rotate: "rotate",
  mint: "viewer-token",
};

/** A program's text and file name. */
export interface Snippet {
  text: string;
  file: string;
}

/** A complete program in this language that makes the call, and prints the token or the error. */
export function snippet(language: LanguageId, call: Call, values: SnippetValues): Snippet {
  const { extension, write } = LANGUAGES[language];
  return { text: write(requestOf(call, values)), file: `${FILES[call]}.${extension}` };
}
