import type { ReactNode } from "react";

/**
 * Comments, strings, tags, keys and literals of HTML, JSON, .env, shell and programs. A guess, which never changes
 * the text.
 */
const KINDS = [
  /(?<comment>(?:^|\n)#[^\n]*|<!--[\s\S]*?-->|(?<!:)\/\/[^\n]*)/,
  /(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')/,
  /(?<tag><\/?[A-Za-z][\w.-]*|\/?>|(?<=\s)--[a-z][a-z-]*)/,
  /(?<key>^[A-Z_][A-Z0-9_]*(?==))/,
  /(?<literal>(?<=[\s:=(,[])-?\d[\d.]*(?=[\s,)\]};]|$)|\b(?:true|false|null|True|False|None)\b)/,
];
const PARTS = new RegExp(KINDS.map(({ source }) => source).join("|"), "gm");

const LOOKS: Record<string, string> = {
  comment: "text-text-muted",
  string: "text-code-string",
  tag: "text-code-key",
  key: "text-code-key",
  literal: "text-code-literal",
};

interface CodeTextProps {
  text: string;
  /** renders each part, to mark something in it */
  children?: (part: string) => ReactNode;
}

/** Code in colours. Its text is exactly `text`. */
export function CodeText({ text, children = (part) => part }: CodeTextProps) {
  return partsOf(text).map(({ part, look }, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other key than its place
    <span key={at} className={look && LOOKS[look]}>
      {children(part)}
    </span>
  ));
}

function partsOf(text: string): { part: string; look: string | undefined }[] {
  const parts: { part: string; look: string | undefined }[] = [];
  let end = 0;
  for (const found of text.matchAll(PARTS)) {
    if (found.index > end) parts.push({ part: text.slice(end, found.index), look: undefined });
    end = found.index + found[0].length;
    const [look] = Object.entries(found.groups ?? {}).find(([, part]) => part !== undefined) ?? [];
    const isKey = look === "string" && /^\s*:/.test(text.slice(end, end + 20));
    parts.push({ part: found[0], look: isKey ? "key" : look });
  }
  if (end < text.length) parts.push({ part: text.slice(end), look: undefined });
  return parts;
}
