import { CodeText } from "@/components/code-text";

interface CodeSampleProps {
  text: string;
  /** what is tinted in it, such as the token or its mask */
  secret: string;
}

/** Code in colours. Its text is exactly `text`. */
export function CodeSample({ text, secret }: CodeSampleProps) {
  return (
    <pre className="overflow-x-auto whitespace-pre-wrap break-all rounded-lg border border-border bg-sunken px-3.5 py-3 font-mono text-xs leading-4.5">
      <CodeText text={text}>{(part) => withSecret(part, secret)}</CodeText>
    </pre>
  );
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
