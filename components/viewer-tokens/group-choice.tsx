import { useQuery } from "@tanstack/react-query";
import { ChevronDown } from "lucide-react";
import { useState } from "react";
import { holdsToken } from "@/components/pasted-token";
import { Input } from "@/components/ui/input";
import { Popover } from "@/components/ui/popover";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { ALL_GROUPS, type Group, groupListQuery } from "@/lib/groups/queries";

const OFFERED = 8;

/** A choice of a user group, by a few letters of its name or id. */
export function GroupChoice({ group, onChoose }: { group: Group; onChoose: (group: Group) => void }) {
  return (
    <Popover
      align="end"
      title="Choose a user group"
      button={{
        className: "min-w-0 max-w-56 gap-2 px-2.5 font-normal",
        children: (
          <>
            <span className="sr-only">User group: </span>
            <span className="truncate">{group.name}</span>
            <ChevronDown aria-hidden />
          </>
        ),
      }}
    >
      {(close) => (
        <Offered
          chosen={group}
          onChoose={(one) => {
            onChoose(one);
            close();
          }}
        />
      )}
    </Popover>
  );
}

function Offered({ chosen, onChoose }: { chosen: Group; onChoose: (group: Group) => void }) {
  const [text, setText] = useState("");
  // Tokens stay out of addresses and caches.
  const search = holdsToken(text) ? "" : text.trim();
  const { data } = useQuery(groupListQuery(useEnvironmentSlug(), { ...ALL_GROUPS, search }));
  return (
    <div className="flex flex-col gap-2">
      <Input
        type="search"
        aria-label="Name or id"
        placeholder="Name or id"
        autoComplete="off"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {data?.groups.length === 0 && <p className="px-2 text-text-muted">No group matches “{search}”.</p>}
      <ul aria-label="User groups" className="flex flex-col">
        {data?.groups.slice(0, OFFERED).map((one) => (
          <li key={one.teamId}>
            <button
              type="button"
              aria-current={one.teamId === chosen.teamId || undefined}
              onClick={() => onChoose(one)}
              className={cn(
                "flex min-h-8 w-full items-center justify-between gap-3 rounded-md px-2 text-left",
                "hover:bg-hover pointer-coarse:min-h-11",
                one.teamId === chosen.teamId && "font-medium",
              )}
            >
              <span className="min-w-0 truncate">{one.name}</span>
              <span className="min-w-0 max-w-1/2 truncate font-mono text-text-muted text-xs">{one.providedId}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
