/** The origins in effect; null for anywhere. */
export function OriginList({ origins }: { origins: string[] | null }) {
  if (origins === null) return <p>Anywhere</p>;
  if (origins.length === 0) return <p>Nowhere</p>;
  return (
    <ul className="flex flex-col gap-0.5">
      {origins.map((origin) => (
        <li key={origin} className="break-all font-mono text-text text-xs leading-5">
          {origin}
        </li>
      ))}
    </ul>
  );
}
