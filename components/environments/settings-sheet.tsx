import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { ActionButtons } from "@/components/action-buttons";
import { ActionDialog } from "@/components/confirm-dialog";
import { type ComparedPart, inDifferences, PARTS, SettingsParts } from "@/components/environments/settings-parts";
import { Failure } from "@/components/failure";
import { submitted } from "@/components/submitted";
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
import { memberTexts } from "@/lib/json/exact-json";
import {
  askToApplySettings,
  chosenParts,
  fetchDifferences,
  type SettingsDifferences,
  settingsDifferencesQuery,
  settingsKey,
} from "@/lib/settings/queries";
import type { AppliedSettingsAnswer, SettingsPart } from "@/lib/settings/schema";
import { viewersKey } from "@/lib/viewer-tokens/queries";
import { webhooksKey } from "@/lib/webhooks/queries";

interface SettingsSheetProps {
  title: string;
  description?: string;
  /** the environment to change */
  target: EnvironmentDetails;
  /** slug of the environment that the document comes from, if any */
  source?: string;
  /** JSON text; undefined until there is one */
  document: string | undefined;
  /** "Copy to Production" */
  verb: string;
  isAllChosen?: boolean;
  /** below the differences */
  hint?: string;
  loses?: string | undefined;
  onClose: () => void;
  /** where the document comes from */
  children: ReactNode;
}

/** Shows what a document of settings changes in an environment, and applies the chosen parts, all or nothing. */
export function SettingsSheet(props: SettingsSheetProps) {
  const { title, description, target, source = "", document = "{}" } = props;
  const { verb, isAllChosen = false, hint, loses, onClose, children } = props;
  const { data, error, refetch } = useQuery({
    ...settingsDifferencesQuery(target.slug, document),
    enabled: props.document !== undefined,
  });
  // Choices and failures belong to this pair: the reader can pick another environment.
  const pair = `${source} ${target.slug}`;
  const attempt = `${pair} ${document}`;
  const nameOf = (part: SettingsPart) => `${pair} ${part}`;
  const [choices, setChoices] = useState<ReadonlyMap<string, boolean>>(new Map());
  const [failedOn, setFailedOn] = useState<string>();
  // Fixed when it is sent: a refetch may show no difference before the answer comes.
  const [hasSecrets, setHasSecrets] = useState(false);
  const parts = data ? comparedParts(document, data, target.name) : [];
  const offered = parts.filter(({ changes }) => changes.length > 0);
  const wanted = offered.filter(({ part }) => choices.get(nameOf(part)) ?? isAllChosen);
  const chosen = new Set(wanted.map(({ part }) => part));
  const isNew = ({ path: [part, ...names], before }: Difference) =>
    part === "webhooks" && names.length === 1 && before === undefined;
  const application = useApplication(target, { hasSecrets, onClose, onFailed: () => setFailedOn(attempt) });
  const failure = failedOn === attempt ? application.error : null;
  const apply = () => {
    if (!data || application.state !== "ready") return;
    setHasSecrets(chosen.has("webhooks") && data.changes.some(isNew));
    application.run({ document: chosenParts(document, chosen), tag: data.tag });
  };
  if (application.answer && application.answer.length > 0) {
    return <NewSecrets webhooks={application.answer} target={target} onClose={onClose} />;
  }
  const isStale = failure instanceof ApiError && failure.code === "stale";
  return (
    <ActionDialog
      isSheet
      sticky={loses !== undefined}
      loses={application.state === "ready" ? loses : undefined}
      action={application}
      environment={target}
      title={title}
      description={description}
      onClose={onClose}
    >
      {/* Another target now would get the result of this one. */}
      <fieldset disabled={application.state !== "ready"} className="contents">
        {children}
      </fieldset>
      {props.document !== undefined && (
        <form onSubmit={submitted(apply)} className="flex grow flex-col gap-4">
          {error && !data ? (
            <Failure title="The settings could not be compared" error={error} onRetry={refetch} />
          ) : !data ? (
            <Skeleton className="h-40 rounded-xl" />
          ) : offered.length === 0 ? (
            <p role="status" className="text-text-secondary">
              Nothing to change: {target.name} has these settings.
            </p>
          ) : (
            <SettingsParts
              parts={parts}
              chosen={chosen}
              target={target.name}
              onChoose={(some, isChosen) =>
                setChoices((now) => new Map([...now, ...some.map((part) => [nameOf(part), isChosen] as const)]))
              }
            />
          )}
          {hint && <p className="text-text-muted text-xs">{hint}</p>}
          {failure && (
            <Failure title={isStale ? `${target.name} changed in the meantime` : application.failed} error={failure} />
          )}
          <ActionButtons
            action={application}
            disabled={wanted.length === 0}
            note={wanted.length > 0 && `${inDifferences(wanted)}. All are applied, or none.`}
            verb={verb}
            onClose={onClose}
          />
        </form>
      )}
    </ActionDialog>
  );
}

/** The document's parts in order, with what each changes. */
function comparedParts(document: string, { changes }: SettingsDifferences, target: string) {
  const given = new Set(memberTexts(document).map(([name]) => name));
  return (Object.keys(PARTS) as SettingsPart[])
    .filter((part) => given.has(part))
    .map((part): ComparedPart => {
      const all = changes.filter(({ path }) => path[0] === part);
      const gone = all.filter(({ path, after }) => part === "webhooks" && path.length === 2 && after === undefined);
      if (gone.length === 0) return { part, changes: all };
      const count = gone.length === 1 ? "1 webhook" : `${gone.length} webhooks`;
      return { part, changes: all, note: `Deletes ${count} of ${target}, with pending deliveries.` };
    });
}

type Webhooks = AppliedSettingsAnswer["webhooks"];

interface Handlers {
  /** whether the answer contains secrets: they are lost if the answer is */
  hasSecrets: boolean;
  onClose: () => void;
  onFailed: () => void;
}

function useApplication(target: EnvironmentDetails, { hasSecrets, onClose, onFailed }: Handlers) {
  const { slug, name } = target;
  return useAction<{ document: string; tag: string }, Webhooks>({
    act: (copied) => askToApplySettings(slug, copied),
    wasDone: async ({ document }) => (await fetchDifferences(slug, document)).changes.length === 0,
    failed: "Nothing was applied",
    done: (_, webhooks) => ({
      title: `Applied to ${name}`,
      ...(!webhooks &&
        hasSecrets && { description: "Rotate the secrets of new webhooks: they cannot be shown again." }),
    }),
    ...(hasSecrets && { secret: { made: "Webhooks were added", again: "rotate their secrets" } }),
    onClose: (webhooks) => !webhooks?.length && onClose(),
    onFailed,
    reads: [settingsKey, definitionsKey(slug), viewersKey(slug), webhooksKey(slug), activityKey(slug), environmentsKey],
  });
}

interface NewSecretsProps extends Pick<SettingsSheetProps, "target" | "onClose"> {
  webhooks: Webhooks;
}

function NewSecrets({ webhooks, target, onClose }: NewSecretsProps) {
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
