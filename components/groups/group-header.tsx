import { useQuery } from "@tanstack/react-query";
import {
  CalendarClock,
  ChevronLeft,
  CopyPlus,
  Ellipsis,
  ExternalLink,
  EyeOff,
  PenLine,
  RotateCw,
  Trash2,
} from "lucide-react";
import { useRouter } from "next/navigation";
import { CopyButton } from "@/components/copy-button";
import { ExactTime } from "@/components/exact-time";
import type { GroupDialog } from "@/components/groups/group-dialogs";
import { groupUse, stateItem } from "@/components/groups/group-use";
import { usePageActions } from "@/components/page-actions";
import { PageLink } from "@/components/page-link";
import { PageTitle } from "@/components/page-title";
import { part } from "@/components/part";
import { RelativeTime } from "@/components/relative-time";
import { Button, buttonLook } from "@/components/ui/button";
import { leave } from "@/components/ui/leave-guard";
import { Menu, MenuItems, MenuSeparator } from "@/components/ui/menu";
import { Notice } from "@/components/ui/notice";
import { Popover } from "@/components/ui/popover";
import { USE_WORDS, type Use, UseMark } from "@/components/ui/use-mark";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { useViewAs } from "@/components/viewer-tokens/use-view-as";
import { cn } from "@/lib/browser/class-name";
import { suspensionQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";

interface GroupHeaderProps {
  group: Group;
  /** the screen's name in the tab */
  screen: string;
  onOpen: (dialog: GroupDialog) => void;
}

/** The group's name, use and actions. */
export function GroupHeader({ group, screen, onOpen }: GroupHeaderProps) {
  const { name, providedId, teamId } = group;
  const slug = useEnvironmentSlug();
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 pb-4 max-sm:grid max-sm:grid-cols-[minmax(0,1fr)_auto]">
      <PageTitle screen={screen} environment={useEnvironment()?.name} />
      <div className="flex min-h-control min-w-0 items-center gap-1">
        <PageLink
          href={`/${slug}/groups`}
          aria-label="All groups"
          title="All groups"
          className={cn(buttonLook({ variant: "ghost", size: "icon" }), "-ml-3 sm:hidden")}
        >
          <ChevronLeft aria-hidden />
        </PageLink>
        <h1 className="min-w-0 break-words font-semibold text-xl max-sm:text-lg">{name}</h1>
      </div>
      <div className="contents max-sm:order-last max-sm:col-span-2 max-sm:flex max-sm:flex-wrap max-sm:gap-2">
        <Fact what="id" text={providedId}>
          <span className="min-w-0 break-all font-mono text-xs">{providedId}</span>
        </Fact>
        <Fact what="team number" text={String(teamId)} className="max-sm:hidden">
          <span className="text-xs tabular-nums">team {teamId}</span>
        </Fact>
        <div className="max-sm:order-first sm:ml-auto">
          <StateChip group={group} />
        </div>
      </div>
      {useCanWrite() && (
        <div className="flex items-center gap-2">
          <Actions group={group} onOpen={onOpen} />
        </div>
      )}
    </div>
  );
}

interface FactProps {
  what: string;
  text: string;
  className?: string;
  children: React.ReactNode;
}

function Fact({ what, text, className, children }: FactProps) {
  return (
    <span
      className={cn(
        "inline-flex min-h-6.5 min-w-0 max-w-full items-center gap-0.5 rounded-xl border border-border-strong pr-0.5",
        "pl-2.5 font-medium text-text-secondary",
        className,
      )}
    >
      {children}
      <CopyButton what={what} text={text} className="rounded-full [&_svg]:size-3.5" />
    </span>
  );
}

const TONES: Record<Use, string> = {
  "in use": "border-transparent bg-success/10",
  idle: "border-border-strong",
  never: "border-border-strong",
  "old token": "border-transparent bg-hue-3",
  suspended: "border-transparent bg-danger/10",
  ended: "border-transparent bg-danger/10",
};

/** The state, which opens details of the group's access. */
function StateChip({ group }: { group: Group }) {
  const use = groupUse(group);
  const { teamId, state, accessEndsAt, createdAt, updatedAt } = group;
  return (
    <Popover
      title="Access"
      button={{
        variant: "ghost",
        size: "small",
        className: cn("rounded-full! gap-1.5! border px-2.5! [&_svg]:size-2!", TONES[use]),
        children: (
          <>
            <span className="sr-only">Access: </span>
            <UseMark use={use} />
            <span className="text-text">{USE_WORDS[use]}</span>
          </>
        ),
      }}
    >
      {() => (
        <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 text-text-muted [&_dd]:text-text">
          <dt>State</dt>
          <dd>{{ active: "Active", suspended: "Suspended", ended: "Ended" }[state]}</dd>
          <dt>{state === "ended" ? "Ended" : "Ends"}</dt>
          <dd>{accessEndsAt ? <ExactTime at={accessEndsAt} /> : "Never"}</dd>
          <dt>Team</dt>
          <dd>{teamId}</dd>
          <dt>Created</dt>
          <dd>
            <RelativeTime at={createdAt} />
          </dd>
          <dt>Updated</dt>
          <dd>
            <RelativeTime at={updatedAt} />
          </dd>
        </dl>
      )}
    </Popover>
  );
}

function Actions({ group, onOpen }: Omit<GroupHeaderProps, "screen">) {
  const viewAs = useViewAs(group, () => onOpen("no preview"));
  const slug = useEnvironmentSlug();
  const router = useRouter();
  const duplicate = () => leave(() => router.push(`/${slug}/groups/new?from=${slug}/${group.teamId}`));
  const items = [
    { label: "Rotate token…", icon: RotateCw, run: () => onOpen("rotate") },
    { label: "View as", icon: ExternalLink, run: viewAs },
    { label: "End all views…", icon: EyeOff, run: () => onOpen("end views") },
    { label: "End one person’s views…", icon: EyeOff, run: () => onOpen("end viewer") },
    stateItem(group, onOpen),
    {
      label: group.accessEndsAt ? "Change end of access…" : "Set end of access…",
      icon: CalendarClock,
      run: () => onOpen("end"),
    },
    { label: "Change id…", icon: PenLine, run: () => onOpen("id") },
    { label: "Duplicate…", icon: CopyPlus, run: duplicate },
  ];
  const deletion = { label: "Delete…", icon: Trash2, danger: true, run: () => onOpen("delete") };
  usePageActions([...items, deletion]);
  return (
    <>
      <Button
        icon={ExternalLink}
        size="small"
        onClick={viewAs}
        title="Opens your preview page in a new tab"
        className="max-lg:hidden"
      >
        View as
      </Button>
      <Menu align="end" button={{ icon: Ellipsis, variant: "ghost", size: "icon", "aria-label": "More actions" }}>
        <MenuItems items={items} />
        <MenuSeparator />
        <MenuItems items={[deletion]} />
      </Menu>
    </>
  );
}

const AskedSince = part(async () => (await import("@/components/groups/asked-since")).AskedSince);

/** Says why renderers do not serve the group, and how to change that; nothing for an active one. */
export function NotServed({ group, onOpen }: { group: Group; onOpen: (dialog: GroupDialog) => void }) {
  const canWrite = useCanWrite();
  const { state, accessEndsAt } = group;
  if (state === "active") return null;
  const isSuspended = state === "suspended";
  return (
    <div className="pb-4">
      <Notice
        tone="danger"
        title={isSuspended ? "Suspended" : "Access has ended"}
        action={
          canWrite && (
            <Button onClick={() => onOpen(isSuspended ? "active" : "end")}>
              {isSuspended ? "Resume…" : "Change end of access…"}
            </Button>
          )
        }
      >
        {isSuspended ? (
          <Suspension group={group} />
        ) : (
          <p>Its access ended {accessEndsAt && <RelativeTime at={accessEndsAt} />}.</p>
        )}
        <p className="text-text-secondary">Renderers that ask this service refuse it. It keeps its token.</p>
      </Notice>
    </div>
  );
}

/** Says that the group was deleted while its page was open. */
export function Deleted() {
  return (
    <div className="pb-4">
      <Notice
        tone="danger"
        role="alert"
        title="This user group was deleted"
        action={
          <PageLink href={`/${useEnvironmentSlug()}/groups/deleted`} className={buttonLook()}>
            Recently deleted
          </PageLink>
        }
      >
        <p>It must be restored before it can be changed.</p>
      </Notice>
    </div>
  );
}

/** Who suspended the group and why, from the history. */
function Suspension({ group }: { group: Group }) {
  const { data } = useQuery(suspensionQuery(useEnvironmentSlug(), group));
  if (!data) return null;
  return (
    <>
      <p>
        By {data.by} <RelativeTime at={data.at} />
        {data.reason && `: ${data.reason}`}
      </p>
      <AskedSince at={data.at} />
    </>
  );
}
