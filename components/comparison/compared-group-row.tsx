import type { Compared, Environment } from "@/components/comparison/compare-page";
import { PageLink } from "@/components/page-link";
import { Button } from "@/components/ui/button";
import { Chip } from "@/components/ui/chip";
import { ActionCell, Cell, TableRow } from "@/components/ui/table";
import type { ComparedGroup, ComparedSide } from "@/lib/comparison/queries";

interface ComparedGroupRowProps extends Compared {
  group: ComparedGroup;
  onShow: () => void;
}

/** A group in two environments. */
export function ComparedGroupRow({ group, here, there, onShow }: ComparedGroupRowProps) {
  const { providedId, kind, differing } = group;
  return (
    <TableRow>
      <Cell line title={providedId} className="font-mono text-xs">
        {providedId}
      </Cell>
      <Cell line label={here.name}>
        <Side side={group.here} environment={here} />
      </Cell>
      <Cell line label={there.name}>
        <Side side={group.there} environment={there} />
      </Cell>
      <Cell line className="@max-4xl:pt-1">
        {kind === "differing" ? (
          <Button
            size="small"
            aria-label={`Differences of ${providedId}: ${differing.join(", ")}`}
            onClick={onShow}
            className="max-w-full"
          >
            <span className="truncate">{differing.join(", ")}</span>
          </Button>
        ) : (
          <Chip>
            <span className="truncate">Only in {kind === "only_here" ? here.name : there.name}</span>
          </Chip>
        )}
      </Cell>
      <ActionCell />
    </TableRow>
  );
}

function Side({ side, environment: { slug } }: { side: ComparedSide | null; environment: Environment }) {
  if (!side) return <span className="text-text-muted">—</span>;
  return (
    <PageLink href={`/${slug}/groups/${side.teamId}`} title={side.name} className="hover:underline">
      {side.name}
    </PageLink>
  );
}
