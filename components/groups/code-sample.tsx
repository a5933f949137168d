/** Comments, strings, tags and keys of HTML, JSX, JSON and .env, by a guess that any template survives. */
const PARTS =
  /(?<comment>(?:^|\n)#[^\n]*|<!--[\s\S]*?-->|\/\/[^\n]*)|(?<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')|(?<tag><\/?[A-Za-z][\w.-]*|\/?>)|(?<key>^[A-Z_][A-Z0-9_]*(?==))/gm;

const LOOKS: Record<string, string> = {
  comment: "text-text-muted",
  string: "text-hue-2-text",
  tag: "text-hue-1-text",
  key: "text-hue-1-text",
};

interface CodeSampleProps {
  text: string;
  /** what is tinted in it, such as the token or its mask */
  secret: string;
}

/** Code in colours. Its text is exactly `text`. */
export function CodeSample({ text, secret }: CodeSampleProps) {
  return (
    <pre className="overflow-x-auto whitespace-pre-wrap break-all rounded-lg border border-border bg-sunken px-3.5 py-3 font-mono text-xs leading-4.5">
      {partsOf(text).map(({ part, look }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other key than its place
        <span key={at} className={look && LOOKS[look]}>
          {withSecret(part, secret)}
        </span>
      ))}
    </pre>
  );
}

function partsOf(text: string): { part: string; look: string | undefined }[] {
  const parts: { part: string; look: string | undefined }[] = [];
  let end = 0;
  for (const found of text.matchAll(PARTS)) {
    const { comment, string, tag } = found.groups ?? {};
    if (found.index > end) parts.push({ part: text.slice(end, found.index), look: undefined });
    const isKey = string !== undefined && /^\s*:/.test(text.slice(found.index + found[0].length));
    const look = comment ? "comment" : string ? (isKey ? "key" : "string") : tag ? "tag" : "key";
    parts.push({ part: found[0], look });
    end = found.index + found[0].length;
  }
  if (end < text.length) parts.push({ part: text.slice(end), look: undefined });
  return parts;
}

function withSecret(part: string, secret: string) {
  return part.split(secret).flatMap((rest, at) => [
    ...(at > 0
      ? [
          <mark
            // biome-ignore lint/suspicious/noArrayIndexKey: a part has no other key than its place
            key={at}
            className="rounded-sm bg-hue-3 px-0.5 text-hue-3-text forced-colors:outline"
          >
            {secret}
          </mark>,
        ]
      : []),
    rest,
  ]);
}
