interface ContentsProps {
  sections: { id: string; title: string }[];
}

/** A sidebar, or collapsed on narrow screens. */
export function Contents({ sections }: ContentsProps) {
  const list = (
    <ul className="flex flex-col gap-0.5">
      {sections.map(({ id, title }) => (
        <li key={id}>
          <a
            href={`#${id}`}
            className="flex min-h-control items-center rounded-md px-2 py-1 font-medium text-text-muted hover:bg-hover hover:text-text"
          >
            {title}
          </a>
        </li>
      ))}
    </ul>
  );
  return (
    <nav aria-label="On this page">
      <div className="sticky top-12 -mx-2 hidden max-h-[calc(100dvh-48px)] overflow-y-auto px-2 py-8 wide:block">
        {list}
      </div>
      <details className="mt-4 rounded-md border border-border bg-surface px-3 py-2 wide:hidden">
        <summary className="min-h-6 cursor-pointer font-medium">On this page</summary>
        <div className="pt-2">{list}</div>
      </details>
    </nav>
  );
}
