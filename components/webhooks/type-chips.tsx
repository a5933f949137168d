import { Chip } from "@/components/ui/chip";

/** The event types sent to a webhook. */
export function TypeChips({ types }: { types: readonly string[] | null }) {
  return (
    <ul aria-label="Events" className="flex flex-wrap gap-1 pt-1.5">
      {(types ?? ["All events"]).map((type) => (
        <li key={type} className="min-w-0">
          <Chip className={types ? "font-mono font-normal!" : ""}>
            <span className="truncate">{type}</span>
          </Chip>
        </li>
      ))}
    </ul>
  );
}
