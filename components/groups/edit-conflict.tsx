"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { ArrowRight, Check } from "lucide-react";
import { type ReactNode, useId, useState } from "react";
import { inWords } from "@/components/changes/changes";
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
import { Button } from "@/components/ui/button";
import { BOX } from "@/components/ui/checkbox";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Face, ProgramFace } from "@/components/ui/face";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { cn } from "@/lib/browser/class-name";
import { lastChangeQuery } from "@/lib/groups/change-queries";
import type { Group } from "@/lib/groups/queries";
import { stringIn } from "@/lib/json/exact-value";
import { isCollision, type Versions } from "@/lib/json/merge-members";
import { sessionQuery } from "@/lib/members/queries";

type Side = "mine" | "theirs";

interface EditConflictProps {
  /** as others saved it */
  group: Group;
  versions: Versions<GroupTexts>;
  onClose: () => void;
  onSave: (choices: Choices) => Promise<void>;
}

const LIST = new Intl.ListFormat("en");
const NUMBERS = ["", "One", "Two", "Three", "Four", "Five", "Six", "Seven", "Eight", "Nine"];

/** Asks which values to keep of members that both sides changed; all other changes merge. */
export function EditConflict({ group, versions, onClose, onSave }: EditConflictProps) {
  const guides = useGuides();
  const environment = useEnvironment();
  const { data: session } = useQuery(sessionQuery);
  const { data: change } = useQuery(lastChangeQuery(useEnvironmentSlug(), group));
  const [choices, setChoices] = useState<ReadonlyMap<string, Side>>(new Map());
  const save = useMutation({ mutationFn: () => onSave(choices) });

  const changes = changesOf(versions);
  const collisions = changes.filter(isCollision);
  const others = changes.filter((one) => !isCollision(one));
  const nameOf = (one: MergedChange) =>
    (one.part === "mapping" ? guides?.mapping.rows.get(one.key)?.label : undefined) ?? nameOfChange(one);
  const chosen = (side: Side | undefined) => collisions.filter((one) => choices.get(collisionKey(one)) === side);
  const choose = (ones: MergedChange[], side: Side) =>
    setChoices((now) => new Map([...now, ...ones.map((one) => [collisionKey(one), side] as const)]));

  const author = change && change.actor.id === session?.member.id ? undefined : (change?.actor ?? null);
  const their = author === undefined ? "the other tab’s" : author ? `${author.name}’s` : "the saved";
  const mine = [...chosen("mine"), ...others.filter((one) => one.mine !== one.base && one.mine !== one.theirs)];
  const [saved, kept, open] = [mine, chosen("theirs"), chosen(undefined)].map((ones) => LIST.format(ones.map(nameOf)));
  const result =
    open !== ""
      ? `Choose a value for ${open}.`
      : [saved && `Saves your ${saved}.`, kept && `Keeps ${their} ${kept}.`].filter(Boolean).join(" ");
  const count = collisions.length;
  const isOne = count === 1;
  return (
    <Dialog
      open
      wide
      environment={environment}
      isHeld={save.isPending}
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={
        author === undefined ? (
          "You changed this group in another tab"
        ) : (
          <>
            {author?.name ?? "Someone"} saved this group {change && <RelativeTime at={change.at} />}
          </>
        )
      }
      description={`${NUMBERS[count] ?? count} of your changes ${isOne ? "touches the same property" : "touch the same properties"}. Choose which ${isOne ? "value" : "values"} to keep.`}
    >
      <div className="overflow-hidden rounded-lg border border-border">
        <div className={cn(ROW, "items-center bg-sunken text-xs max-sm:hidden")}>
          <span className="px-3 py-2.5 text-text-muted">Property</span>
          <SideHead title={author ? `Saved by ${author.name}` : "Saved"} onAll={() => choose(collisions, "theirs")}>
            <AuthorFace author={author === undefined ? session?.member : author} />
          </SideHead>
          <SideHead title="Yours" onAll={() => choose(collisions, "mine")}>
            <AuthorFace author={session?.member} />
          </SideHead>
        </div>
        {collisions.map((one) => (
          <Collision
            key={collisionKey(one)}
            change={one}
            label={nameOf(one)}
            savedBy={author ? author.name : "Saved"}
            side={choices.get(collisionKey(one))}
            onChoose={(side) => choose([one], side)}
          />
        ))}
      </div>
      {others.length > 0 && <Merged changes={others} nameOf={nameOf} />}
      {save.error && <Failure title="Nothing was saved" error={save.error} />}
      <DialogActions>
        <p aria-live="polite" className="mr-auto min-w-0 flex-1 basis-60 self-center break-words text-text-secondary">
          {result}
        </p>
        {!save.isPending && <Button onClick={onClose}>Keep editing</Button>}
        <Button variant="primary" disabled={open !== "" || save.isPending} onClick={() => save.mutate()}>
          {save.isPending
            ? "Saving…"
            : mine.length === 0
              ? "Discard my changes"
              : `Save ${mine.length} ${mine.length === 1 ? "change" : "changes"}`}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const ROW = "grid sm:grid-cols-[176px_minmax(0,1fr)_minmax(0,1fr)] [&>:not(:first-child)]:sm:border-l border-border";

interface AuthorFaceProps {
  author: { name: string; type?: string } | null | undefined;
}

function AuthorFace({ author }: AuthorFaceProps) {
  if (!author) return null;
  const { name, type } = author;
  return type === "api_token" || type === "operator" ? <ProgramFace kind={type} /> : <Face name={name} />;
}

interface SideHeadProps {
  title: string;
  onAll: () => void;
  children: ReactNode;
}

function SideHead({ title, onAll, children }: SideHeadProps) {
  return (
    <span className="flex min-w-0 items-center gap-2 border-border px-3 py-1.5 font-medium">
      {children}
      <span className="truncate">{title}</span>
      <Button variant="ghost" size="small" className="ml-auto" onClick={onAll}>
        Keep all
      </Button>
    </span>
  );
}

interface CollisionProps {
  change: MergedChange;
  label: string;
  savedBy: string;
  side: Side | undefined;
  onChoose: (side: Side) => void;
}

/** A member that both sides changed: its values are the choices. */
function Collision({ change, label, savedBy, side, onChoose }: CollisionProps) {
  const id = useId();
  const sides = [
    { value: "theirs", text: change.theirs, by: savedBy },
    { value: "mine", text: change.mine, by: "Yours" },
  ] as const;
  return (
    <div role="radiogroup" aria-labelledby={id} className={cn(ROW, "border-t max-sm:first-of-type:border-t-0")}>
      <span className="flex min-w-0 flex-wrap justify-between gap-x-3 px-3 py-2.5 max-sm:bg-sunken sm:flex-col">
        <span id={id} className="break-all font-medium">
          {label}
        </span>
        <span className="break-all text-text-muted text-xs leading-5">
          {change.base === undefined ? "was not set" : `was ${inWords(change.base)}`}
        </span>
      </span>
      {sides.map(({ value, text, by }) => (
        <label
          key={value}
          className="flex min-h-11 min-w-0 items-center gap-2.5 border-border px-3 py-2 text-text-secondary hover:bg-hover has-checked:bg-selected has-checked:font-medium has-checked:text-text has-focus-visible:outline-2 has-focus-visible:outline-accent has-focus-visible:-outline-offset-2 max-sm:border-t"
        >
          <input
            type="radio"
            name={id}
            checked={side === value}
            onChange={() => onChoose(value)}
            className={cn(BOX, "rounded-full outline-none! checked:bg-radio")}
          />
          <span className="max-h-32 min-w-0 overflow-y-auto break-all">
            {text === undefined ? "removed" : wordsOf(text)}
          </span>
          <span className="ml-auto max-w-1/3 shrink-0 truncate pl-2 font-normal text-text-muted text-xs sm:sr-only">
            {by}
          </span>
        </label>
      ))}
    </div>
  );
}

interface MergedProps {
  changes: MergedChange[];
  nameOf: (change: MergedChange) => string;
}

/** The changes that need no choice. */
function Merged({ changes, nameOf }: MergedProps) {
  return (
    <details open={changes.length <= 5} className="flex flex-col gap-1">
      <summary className="min-h-8 cursor-default font-medium leading-8 [&_svg]:inline">
        <Check aria-hidden className="mr-2 size-4 text-success" />
        {changes.length === 1
          ? "1 other change merges without conflict"
          : `${changes.length} other changes merge without conflict`}
      </summary>
      <ul className="flex flex-col pl-6">
        {changes.map((one) => {
          const isMine = one.mine !== one.base && one.mine !== one.theirs;
          const to = isMine ? one.mine : one.theirs;
          return (
            <li key={`${one.part} ${one.key}`} className="flex min-h-8 min-w-0 items-center gap-2 text-text-secondary">
              <span className="shrink-0 break-all">{nameOf(one)}</span>
              {one.base !== undefined && <span className="truncate text-text-muted">{inWords(one.base)}</span>}
              <ArrowRight aria-hidden className="size-3 shrink-0 text-text-muted" />
              <span className="sr-only">to</span>
              <span className="truncate text-text">{to === undefined ? "removed" : inWords(to)}</span>
              <span className="ml-auto pl-2 text-text-muted text-xs">{isMine ? "yours" : "saved"}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}

/** A value in full: a text without its quotes. */
function wordsOf(literal: string): string {
  return stringIn(literal) || literal;
}
