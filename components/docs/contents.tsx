import { cn } from "@/lib/browser/class-name";

interface ContentsProps {
  /** in their order; those of a section follow each other */
  headings: { id: string; title: string; section: string }[];
}

/** A sidebar, or collapsed on narrow screens. */
export function Contents({ headings }: ContentsProps) {
  const sections: { name: string; headings: ContentsProps["headings"] }[] = [];
  for (const heading of headings) {
    const last = sections.at(-1);
    if (last?.name === heading.section) last.headings.push(heading);
    else sections.push({ name: heading.section, headings: [heading] });
  }
  const list = (
    <div className="flex flex-col gap-5">
      {sections.map(({ name, headings: [first, ...rest] }) => (
        <div key={first?.id}>
          {rest.length > 0 && <p className="px-2 pb-1 font-medium text-2xs text-text-muted">{name}</p>}
          <ul className="flex flex-col">
            {[...(first ? [first] : []), ...rest].map(({ id, title }) => (
              <li key={id}>
                <a
                  href={`#${id}`}
                  className={cn(
                    "flex min-h-7.5 items-center rounded-md px-2 py-1 font-medium text-text-secondary leading-4.5",
                    "hover:bg-hover hover:text-text pointer-coarse:min-h-control",
                  )}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </div>
  );
  return (
    <nav aria-label="On this page">
      <div className="sticky top-12 -mx-2 hidden max-h-[calc(100dvh-48px)] overflow-y-auto px-2 py-8 wide:block">
        {list}
      </div>
      <details className="mt-4 rounded-md border border-border bg-surface px-3 py-2 wide:hidden">
        <summary className="min-h-6 cursor-pointer font-medium">On this page</summary>
        <div className="pt-3 pb-1">{list}</div>
      </details>
    </nav>
  );
}
