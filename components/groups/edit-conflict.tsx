import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Check, ChevronDown } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { inWords, wordsOfSides } from "@/components/changes/changes";
import { ActionDialog } from "@/components/confirm-dialog";
import { useGuides } from "@/components/definitions/use-guides";
import { Failure } from "@/components/failure";
import {
  type Choices,
  changesOf,
  collisionKey,
  type GroupTexts,
  type MergedChange,
  nameOfChange,
} from "@/components/groups/group-changes";
import { RelativeTime } from "@/components/relative-time";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { BOX } from "@/components/ui/checkbox";
import { ActorFace, type ActorFaceProps } from "@/components/ui/face";
import { useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { lastChangeQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";
import { stringIn } from "@/lib/json/exact-value";
import { isCollision, type Versions } from "@/lib/json/merge-members";
import { sessionQuery } from "@/lib/members/queries";

type Side = "mine" | "theirs";

interface EditConflictProps {
  /** the group as others saved it */
  group: Group;
  versions: Versions<GroupTexts>;
  onClose: () => void;
  onSave: (choices: Choices) => Promise<void>;
}

const LIST = new Intl.ListFormat("en");

/** Asks which value to keep of each member that both sides changed; all other changes merge. */
export function EditConflict({ group, versions, onClose, onSave }: EditConflictProps) {
  const words = useWords();
  const { title, actors } = useSavers(group);
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const save = useAction<void>({ act: () => onSave(choices), failed: "Nothing was saved" });

  const changes = changesOf(versions);
  const collisions = changes.filter(isCollision);
  const others = changes.filter((one) => !isCollision(one));
  const chosen = (side: Side | undefined) => collisions.filter((one) => choices.get(collisionKey(one)) === side);
  const choose = (ones: MergedChange[], side: Side) =>
    setChoices((now) => new Map([...now, ...ones.map((one) => [collisionKey(one), side] as const)]));
  const listOf = (ones: MergedChange[]) => LIST.format(ones.map(words.nameOf));
  const mine = [...chosen("mine"), ...others.filter(isMine)];
  const [kept, open] = [chosen("theirs"), chosen(undefined)];
  const result = [
    open.length > 0 && `Choose a value for ${listOf(open)}.`,
    open.length === 0 && mine.length > 0 && `Saves your ${listOf(mine)}.`,
    open.length === 0 && kept.length > 0 && `Keeps the saved ${listOf(kept)}.`,
  ];
  return (
    <ActionDialog
      wide
      action={save}
      onClose={onClose}
      title={title}
      description={`Both sides changed ${listOf(collisions)}. Choose what to keep.`}
    >
      <form onSubmit={submitted(() => save.run())} className="contents">
        <div className="overflow-hidden rounded-lg border border-border">
          <div className={cn(ROW, "items-center bg-sunken text-text-muted text-xs max-sm:hidden")}>
            <span className="px-3 py-2.5">Changed</span>
            {SIDES.map(({ side, title }) => (
              <span key={side} className="flex min-h-9.5 items-center justify-between border-border pr-1.5 pl-3">
                <span className="flex items-center gap-2 font-medium text-text">
                  {actors[side] && <ActorFace actor={actors[side]} />}
                  {title}
                </span>
                {collisions.length > 1 && (
                  <Button variant="ghost" size="small" onClick={() => choose(collisions, side)}>
                    Keep all
                  </Button>
                )}
              </span>
            ))}
          </div>
          {collisions.map((one) => (
            <Collision
              key={collisionKey(one)}
              change={one}
              words={words}
              chosen={choices.get(collisionKey(one))}
              onChoose={(side) => choose([one], side)}
            />
          ))}
        </div>
        {others.length > 0 && <Merged changes={others} words={words} />}
        {save.error && <Failure title={save.failed} error={save.error} />}
        <ActionButtons
          action={save}
          verb={actionOf(open.length > 0, mine.length)}
          cancel="Keep editing"
          disabled={open.length > 0}
          note={<span aria-live="polite">{result.filter(Boolean).join(" ")}</span>}
          onClose={onClose}
        />
      </form>
    </ActionDialog>
  );
}

function actionOf(isOpen: boolean, mine: number): string {
  if (isOpen) return "Save";
  return mine === 0 ? "Discard my changes" : `Save ${mine} ${mine === 1 ? "change" : "changes"}`;
}

const ROW = "grid sm:grid-cols-[176px_minmax(0,1fr)_minmax(0,1fr)] [&>:not(:first-child)]:sm:border-l border-border";
const SIDES = [
  { side: "theirs", title: "Saved" },
  { side: "mine", title: "Yours" },
] as const;

/** Whether only this tab made a change. */
const isMine = ({ base, mine, theirs }: MergedChange) => mine !== base && mine !== theirs;

/** Words for a change and its values. */
function useWords() {
  const guides = useGuides();
  const guideOf = ({ part, key }: MergedChange) => (part === "mapping" ? guides?.mapping.rows.get(key) : undefined);
  return {
    nameOf: (one: MergedChange) => guideOf(one)?.label ?? nameOfChange(one),
    labelOf: (one: MergedChange, literal: string) =>
      guideOf(one)?.options?.find((option) => option.literal === literal)?.label,
  };
}

type Words = ReturnType<typeof useWords>;

interface Savers {
  title: ReactNode;
  actors: Record<Side, ActorFaceProps["actor"] | undefined>;
}

/** Who saved the group last, from its history, and who edits it here. */
function useSavers(group: Group): Savers {
  const { data: session } = useQuery(sessionQuery);
  const { data: last } = useQuery(lastChangeQuery(useEnvironmentSlug(), group));
  const actors = { theirs: last?.actor, mine: session?.member };
  if (!last) return { title: "Someone saved this group", actors };
  if (last.actor.id === session?.member.id) return { title: "You changed this group in another tab", actors };
  const title = (
    <>
      {last.actor.name} saved this group <RelativeTime at={last.at} />
    </>
  );
  return { title, actors };
}

interface CollisionProps {
  change: MergedChange;
  words: Words;
  chosen: Side | undefined;
  onChoose: (side: Side) => void;
}

/** A member that both sides changed, with its values to choose from. */
function Collision({ change, words, chosen, onChoose }: CollisionProps) {
  const id = useId();
  const wordsOf = (literal: string) => words.labelOf(change, literal) ?? (stringIn(literal) || literal);
  const [theirs = "removed", mine = "removed"] = wordsOfSides(wordsOf, change.theirs, change.mine);
  return (
    <div role="radiogroup" aria-labelledby={id} className={cn(ROW, "border-t max-sm:first-of-type:border-t-0")}>
      <span className="flex min-w-0 flex-wrap justify-between gap-x-3 px-3 py-2.5 max-sm:bg-sunken sm:flex-col">
        <span id={id} className="break-all font-medium">
          {change.part === "name" ? "Name" : words.nameOf(change)}
        </span>
        <span className="break-all text-text-muted text-xs leading-5">
          {change.base === undefined
            ? "was not set"
            : `was ${words.labelOf(change, change.base) ?? inWords(change.base)}`}
        </span>
      </span>
      {SIDES.map(({ side, title }) => {
        const shown = side === "mine" ? mine : theirs;
        return (
          <label
            key={side}
            className={cn(
              "flex min-h-11 min-w-0 items-center gap-2.5 border-border px-3 py-2 text-text-secondary max-sm:border-t",
              "hover:bg-hover has-checked:bg-selected has-checked:font-medium has-checked:text-text",
              "-outline-offset-2 has-focus-visible:outline-2 has-focus-visible:outline-accent",
            )}
          >
            <input
              type="radio"
              data-first
              name={id}
              checked={chosen === side}
              onChange={() => onChoose(side)}
              className={cn(BOX, "rounded-full outline-none! checked:bg-radio")}
            />
            <span className="max-h-32 min-w-0 overflow-y-auto break-all">{shown}</span>
            <span className="ml-auto shrink-0 font-normal text-text-muted text-xs sm:sr-only">{title}</span>
          </label>
        );
      })}
    </div>
  );
}

/** The changes that need no choice. */
function Merged({ changes, words }: { changes: MergedChange[]; words: Words }) {
  return (
    <details open={changes.length <= 5} className="group">
      <summary className="flex min-h-8 cursor-default list-none items-center gap-2 font-medium">
        <Check aria-hidden className="size-4 shrink-0 text-success" />
        {changes.length === 1
          ? "1 other change merges without conflict"
          : `${changes.length} other changes merge without conflict`}
        <ChevronDown aria-hidden className="size-3.5 shrink-0 text-text-muted group-open:rotate-180" />
      </summary>
      <ul className="flex flex-col pl-6">
        {changes.map((one) => {
          const side = isMine(one) ? "mine" : "theirs";
          const [was, is] = [one.base, one[side]].map(
            (literal) => literal && (words.labelOf(one, literal) ?? inWords(literal)),
          );
          return (
            <li
              key={collisionKey(one)}
              className="flex min-h-8 min-w-0 flex-wrap items-center gap-x-2 py-1 text-text-secondary sm:flex-nowrap"
            >
              <span className="min-w-0 break-all sm:shrink-0 sm:truncate">{words.nameOf(one)}</span>
              <span className="flex min-w-0 items-center gap-2 max-sm:order-last max-sm:w-full">
                {was && <span className="truncate text-text-muted">{was}</span>}
                <ArrowRight aria-hidden className="size-3 shrink-0 text-text-muted" />
                <span className="sr-only">to</span>
                <span className="truncate text-text">{is ?? "removed"}</span>
              </span>
              <span className="ml-auto shrink-0 text-text-muted text-xs">{side === "mine" ? "yours" : "saved"}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
