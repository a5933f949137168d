/** Paragraphs of text; backticks mark code. */
export function Prose({ text }: { text: string }) {
  return text.split("\n\n").map((paragraph) => (
    <p key={paragraph}>
      <Words text={paragraph} />
    </p>
  ));
}

export function Words({ text }: { text: string }) {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text never change places
      <code key={index} className="break-words rounded bg-hover px-1 py-0.5 font-mono text-xs">
        {part}
      </code>
    ),
  );
}
