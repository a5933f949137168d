"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ChangedParts } from "@/components/changes/changed-parts";
import { type Change, plain } from "@/components/changes/changes";
import { ActionDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { Checkbox } from "@/components/ui/checkbox";
import { Notice } from "@/components/ui/notice";
import { Skeleton } from "@/components/ui/skeleton";
import { useAction } from "@/components/use-action";
import { ShownSecret } from "@/components/webhooks/shown-secret";
import { hostOf } from "@/components/webhooks/webhook-words";
import { activityKey } from "@/lib/audit/queries";
import { ApiError } from "@/lib/browser/api-client";
import { definitionsKey } from "@/lib/definitions/queries";
import { environmentsKey } from "@/lib/environments/queries";
import type { EnvironmentDetails } from "@/lib/environments/schema";
import type { Difference } from "@/lib/json/differences";
import {
  askToApplySettings,
  chosenParts,
  fetchDifferences,
  type SettingsDifferences,
  settingsDifferencesQuery,
} from "@/lib/settings/queries";
import type { AppliedSettingsAnswer, SettingsPart } from "@/lib/settings/schema";
import { viewersKey } from "@/lib/viewer-tokens/queries";
import { webhooksKey } from "@/lib/webhooks/queries";

const PARTS: Record<SettingsPart, string> = {
  definitions: "Rules",
  viewer_tokens: "Viewer tokens",
  templates: "Claim templates",
  allowed_origins: "Allowed origins",
  embed_template: "Embed template",
  webhooks: "Webhooks",
};

interface SettingsDialogProps {
  title: string;
  description: string;
  /** the environment that it changes */
  target: EnvironmentDetails;
  /** JSON text; undefined until there is one */
  document: string | undefined;
  /** button labels: "Copy to Production", and while running "Copying…" */
  verb: string;
  doing: string;
  isAllChosen?: boolean;
  onClose: () => void;
  /** where the document comes from */
  children: ReactNode;
}

/** Shows what a document of settings changes in an environment, and applies the chosen parts, all or nothing. */
export function SettingsDialog(props: SettingsDialogProps) {
  const { title, description, target, document = "{}", verb, doing, isAllChosen = false, onClose, children } = props;
  const { data, error, refetch } = useQuery({
    ...settingsDifferencesQuery(target.slug, document),
    enabled: props.document !== undefined,
  });
  // With the environment: another may be chosen.
  const nameOf = (part: SettingsPart) => `${target.slug} ${part}`;
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [failedOn, setFailedOn] = useState<string>();
  const offered = data ? changedParts(data) : [];
  const chosen = new Set(offered.filter((part) => toggled.has(nameOf(part)) !== isAllChosen));
  const isNew = ({ path: [part, ...names], before }: Difference) =>
    part === "webhooks" && names.length === 1 && before === undefined;
  const application = useApplication(target, {
    hasSecrets: chosen.has("webhooks") && data?.changes.some(isNew) === true,
    onClose,
    onFailed() {
      setFailedOn(target.slug);
      void refetch();
    },
  });
  const failure = failedOn === target.slug ? application.error : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (data) application.run({ document: chosenParts(document, chosen), tag: data.tag });
  };
  if (application.answer && application.answer.length > 0) {
    return <NewSecrets webhooks={application.answer} target={target} onClose={onClose} />;
  }
  const isStale = failure instanceof ApiError && failure.code === "stale";
  return (
    <ActionDialog wide action={application} environment={target} {...{ title, description, onClose }}>
      {children}
      {props.document !== undefined && (
        <form onSubmit={submit} className="flex flex-col gap-4">
          {error && !data ? (
            <Failure title="The settings could not be compared" error={error} onRetry={() => void refetch()} />
          ) : !data ? (
            <Skeleton className="h-40 rounded-xl" />
          ) : offered.length === 0 ? (
            <p role="status" className="text-text-secondary">
              Nothing to change: {target.name} has these settings.
            </p>
          ) : (
            <>
              <p className="text-text-muted text-xs">
                − {target.name} now · + afterwards. All or nothing: if {target.name} changes in the meantime, nothing is
                applied.
              </p>
              <ul aria-label="Settings" className="overflow-hidden rounded-xl border border-border">
                {offered.map((part) => (
                  <Part
                    key={part}
                    part={part}
                    changes={data.changes.filter(({ path }) => path[0] === part)}
                    isChosen={chosen.has(part)}
                    onToggle={() => setToggled((now) => toggle(now, nameOf(part)))}
                  />
                ))}
              </ul>
            </>
          )}
          {failure &&
            (isStale ? (
              <Notice tone="warning" role="alert" title={`${target.name} changed in the meantime`}>
                <p>Nothing was applied. The differences above are up to date.</p>
              </Notice>
            ) : (
              <Failure title={application.failed} error={failure} />
            ))}
          <ActionButtons action={application} disabled={chosen.size === 0} {...{ verb, doing, onClose }} />
        </form>
      )}
    </ActionDialog>
  );
}

function changedParts({ changes }: SettingsDifferences): SettingsPart[] {
  const changed = new Set(changes.map(({ path }) => path[0]));
  return (Object.keys(PARTS) as SettingsPart[]).filter((part) => changed.has(part));
}

function toggle(names: ReadonlySet<string>, name: string): ReadonlySet<string> {
  return new Set(names.has(name) ? [...names].filter((one) => one !== name) : [...names, name]);
}

type Webhooks = AppliedSettingsAnswer["webhooks"];

interface Handlers {
  /** whether the answer has secrets, which are lost with it */
  hasSecrets: boolean;
  onClose: () => void;
  onFailed: () => void;
}

const LOST = { title: "Webhooks were added", description: "Their secrets cannot be shown again: rotate them." };

function useApplication(target: EnvironmentDetails, { hasSecrets, onClose, onFailed }: Handlers) {
  const client = useQueryClient();
  const { slug, name } = target;
  return useAction<{ document: string; tag: string }, Webhooks>({
    act: (wanted) => askToApplySettings(slug, wanted),
    wasDone: async ({ document }) => (await fetchDifferences(slug, document)).changes.length === 0,
    undone: `Nothing was applied to ${name}. Try again.`,
    failed: "Nothing was applied",
    done: (_, webhooks) => ({
      title: `Applied to ${name}`,
      ...(!webhooks && hasSecrets && { description: LOST.description }),
    }),
    ...(hasSecrets && { unseen: LOST }),
    onDone: async (webhooks) => {
      const keys = [definitionsKey(slug), viewersKey(slug), webhooksKey(slug), activityKey(slug), environmentsKey];
      await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
      if (!webhooks || webhooks.length === 0) onClose();
    },
    onFailed,
  });
}

interface PartProps {
  part: SettingsPart;
  changes: Difference[];
  isChosen: boolean;
  onToggle: () => void;
}

function Part({ part, changes, isChosen, onToggle }: PartProps) {
  const id = useId();
  const label = `${changes.length} ${changes.length === 1 ? "difference" : "differences"}`;
  return (
    <li className="flex flex-col gap-2 border-border border-b px-4 py-3 last:border-b-0">
      <label htmlFor={id} className="flex items-center gap-2.5 font-medium">
        <Checkbox id={id} checked={isChosen} onChange={onToggle} />
        {PARTS[part]}
      </label>
      <ChangedParts parts={[{ label, changes: changes.map(changeOf), isOrderOnly: false }]} sides={["Now", "Then"]} />
    </li>
  );
}

/** Exact; null where nothing is set. */
function changeOf({ path: [, ...names], before, after }: Difference): Change {
  const text = (value: string | undefined) => (value === undefined || value === "null" ? undefined : plain(value));
  return { key: names.length > 0 ? names.join(": ") : undefined, before: text(before), after: text(after) };
}

function NewSecrets({
  webhooks,
  target,
  onClose,
}: {
  webhooks: Webhooks;
  target: EnvironmentDetails;
  onClose: () => void;
}) {
  const [seen, setSeen] = useState(0);
  const shown = webhooks[seen];
  if (!shown) return null;
  return (
    <ShownSecret
      key={shown.id}
      shown={shown}
      title={webhooks.length > 1 ? `Secret ${seen + 1} of ${webhooks.length}` : "The webhook’s secret"}
      description={`${target.name} has a new webhook to ${hostOf(shown)}. Give its receiver this secret.`}
      onClose={() => (seen + 1 < webhooks.length ? setSeen(seen + 1) : onClose())}
    />
  );
}
