import { useQuery } from "@tanstack/react-query";
import { Failure } from "@/components/failure";
import { DayAndTime, RelativeTime } from "@/components/relative-time";
import { Button } from "@/components/ui/button";
import { Chip } from "@/components/ui/chip";
import { onDemand, useOpen } from "@/components/ui/on-demand";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useOrigin } from "@/components/use-in-browser";
import { SettingsSection } from "@/components/viewer-tokens/settings-section";
import { isSecretSigned } from "@/lib/viewer-tokens/claims";
import { type ViewerKey, viewerKeysQuery } from "@/lib/viewer-tokens/key-queries";
import type { ViewerSettings } from "@/lib/viewer-tokens/queries";

const dialogs = onDemand(() => import("@/components/viewer-tokens/key-dialogs"));
const RotateKey = dialogs.part("RotateKey");
const RevokeKey = dialogs.part("RevokeKey");

type Open = { verb: "rotate"; template: string | null } | { verb: "revoke"; viewerKey: ViewerKey };

/** The environment's signing keys: those of viewer tokens, and of each claim template. */
export function SigningKeys({ templates }: Pick<ViewerSettings, "templates">) {
  const slug = useEnvironmentSlug();
  const { data, error, refetch } = useQuery(viewerKeysQuery(slug));
  const [open, show, close] = useOpen<Open>(dialogs);
  const own = Object.keys(templates).filter((name) => !isSecretSigned(templates[name]));
  // The keys of a template that was deleted, or has a renderer's secret now, are kept until its tokens have expired.
  const kept = (data ?? []).flatMap(({ template }) => (template === null ? [] : [template]));
  const sets = [null, ...new Set([...own, ...kept])];
  return (
    <SettingsSection title="Signing keys" hint="Renderers verify viewer tokens with the public keys at these URLs.">
      {error && !data ? (
        <Failure title="The keys could not be loaded" error={error} onRetry={refetch} />
      ) : !data ? (
        <Skeleton className="h-24 rounded-xl" />
      ) : (
        sets.map((template) => (
          <KeySet
            key={template ?? ""}
            template={template}
            keys={data.filter((one) => one.template === template)}
            isDeleted={template !== null && !Object.hasOwn(templates, template)}
            isUsed={template === null || own.includes(template)}
            onOpen={show}
          />
        ))
      )}
      {open?.verb === "rotate" && <RotateKey template={open.template} onClose={close} />}
      {open?.verb === "revoke" && <RevokeKey viewerKey={open.viewerKey} onClose={close} />}
    </SettingsSection>
  );
}

interface KeySetProps {
  template: string | null;
  keys: ViewerKey[];
  /** whether its template was deleted */
  isDeleted: boolean;
  /** whether it signs with these keys */
  isUsed: boolean;
  onOpen: (open: Open) => void;
}

const isPublished = ({ state }: ViewerKey) => state !== "ended" && state !== "revoked";

function KeySet({ template, keys, isDeleted, isUsed, onOpen }: KeySetProps) {
  const slug = useEnvironmentSlug();
  const path = `/e/${slug}/${template === null ? "" : `${template}/`}.well-known/jwks.json`;
  const origin = useOrigin();
  const published = keys.filter(isPublished);
  const earlier = keys.filter((one) => !isPublished(one));
  const name = template === null ? "Viewer tokens" : `Template ${template}`;
  const isWaiting = keys.some(({ state }) => state === "waits");
  return (
    <section aria-label={`Keys: ${name}`} className="border-border border-b px-4 py-3.5 last:border-b-0">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="min-w-0">
          <h3 className="min-w-0 break-words font-medium">
            {name}
            {isDeleted && <span className="font-normal text-text-muted"> (deleted)</span>}
          </h3>
          <a
            href={path}
            target="_blank"
            rel="noreferrer"
            className="break-all rounded-sm font-mono text-text-muted text-xs underline underline-offset-2"
          >
            {origin}
            {path}
          </a>
        </div>
        {isUsed && !isWaiting && (
          <Button size="small" onClick={() => onOpen({ verb: "rotate", template })}>
            Rotate…<span className="sr-only"> key of {name}</span>
          </Button>
        )}
      </div>
      {isUsed && published.length === 0 && (
        <p className="pt-2 text-text-muted">No key yet. The first token creates one, which signs immediately.</p>
      )}
      <ul className="flex flex-col pt-1">
        {published.map((viewerKey) => (
          <KeyRow key={viewerKey.kid} viewerKey={viewerKey} onRevoke={() => onOpen({ verb: "revoke", viewerKey })} />
        ))}
      </ul>
      {earlier.length > 0 && (
        <details className="pt-1">
          <summary className="w-fit rounded-sm text-text-muted text-xs">
            {earlier.length} earlier {earlier.length === 1 ? "key" : "keys"}
          </summary>
          <ul className="flex flex-col">
            {earlier.map((viewerKey) => (
              <KeyRow key={viewerKey.kid} viewerKey={viewerKey} />
            ))}
          </ul>
        </details>
      )}
    </section>
  );
}

const STATES = {
  signs: { label: "Current", tone: "success", words: "since", at: "signs_from" },
  waits: { label: "Next", tone: "warning", words: "signs from", at: "signs_from" },
  retired: { label: "Retired", tone: "plain", words: "published until its last token expires,", at: "ends_at" },
  ended: { label: "Ended", tone: "plain", words: "ended", at: "ends_at" },
  revoked: { label: "Revoked", tone: "danger", words: "", at: "revoked_at" },
} as const;

function KeyRow({ viewerKey, onRevoke }: { viewerKey: ViewerKey; onRevoke?: () => void }) {
  const { kid, state } = viewerKey;
  const { label, tone, words, at } = STATES[state];
  const time = viewerKey[at];
  return (
    <li className="flex min-h-10 flex-wrap items-center gap-x-3 gap-y-1 border-border border-b py-1.5 last:border-b-0">
      <span className="shrink-0 sm:w-17">
        <Chip tone={tone}>{label}</Chip>
      </span>
      <code title={kid} className="min-w-0 font-mono text-text-secondary text-xs">
        {kid.slice(0, 8)}…
      </code>
      <span className="min-w-0 flex-1 text-text-secondary max-sm:order-last max-sm:w-full max-sm:flex-none">
        {words} {time && (state === "waits" ? <DayAndTime at={time} /> : <RelativeTime at={time} />)}
      </span>
      {onRevoke && (
        <Button size="small" variant="ghost" onClick={onRevoke} className="ml-auto text-danger!">
          Revoke…<span className="sr-only"> key {kid.slice(0, 8)}</span>
        </Button>
      )}
    </li>
  );
}
