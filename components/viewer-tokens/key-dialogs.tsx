import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ConfirmAction } from "@/components/confirm-dialog";
import { Notice } from "@/components/ui/notice";
import { useEnvironmentSlug, useIsCustomer } from "@/components/use-environment";
import {
  askToRevokeViewerKey,
  askToRotateViewerKey,
  type ViewerKey,
  viewerKeysQuery,
} from "@/lib/viewer-tokens/key-queries";

const wordsFor = (template: string | null) => (template === null ? "viewer tokens" : `the template “${template}”`);

/** Confirms a new key. */
export function RotateKey({ template, onClose }: { template: string | null; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const client = useQueryClient();
  const { queryKey } = viewerKeysQuery(slug);
  const [known] = useState(() => (client.getQueryData<ViewerKey[]>(queryKey) ?? []).map(({ kid }) => kid));
  return (
    <ConfirmAction
      act={() => askToRotateViewerKey(slug, template)}
      wasDone={async (_, read) =>
        (await read(viewerKeysQuery(slug))).some((one) => one.template === template && !known.includes(one.kid))
      }
      failed="No key was created"
      done={() => ({ title: `A new key for ${wordsFor(template)} is published` })}
      reads={[queryKey]}
      title={`Rotate the key for ${wordsFor(template)}?`}
      description="A new key is published now and begins to sign an hour later, when renderers have read it; a first key signs immediately. The current one stays published until its last token has expired, so no token is refused."
      verb="Rotate key"
      onClose={onClose}
    />
  );
}

/** Confirms a revocation, and says what fails; in Customer environments, by typing the slug. */
export function RevokeKey({ viewerKey: { kid, state }, onClose }: { viewerKey: ViewerKey; onClose: () => void }) {
  const slug = useEnvironmentSlug();
  const isCustomer = useIsCustomer();
  const isWaiting = state === "waits";
  return (
    <ConfirmAction
      act={() => askToRevokeViewerKey(slug, kid)}
      wasDone={async (_, read) =>
        (await read(viewerKeysQuery(slug))).find((one) => one.kid === kid)?.state === "revoked"
      }
      failed="Nothing was revoked"
      done={() => ({ title: "The key was revoked" })}
      reads={[viewerKeysQuery(slug).queryKey]}
      title="Revoke this key?"
      description={
        <>
          {isWaiting ? "Nothing" : "Every token"} signed with <span className="break-all font-mono text-xs">{kid}</span>
          {isWaiting
            ? " exists yet. The current key keeps signing."
            : " stops working. To change keys without refusing tokens, rotate instead."}{" "}
          This cannot be undone.
        </>
      }
      verb="Revoke key"
      danger
      retype={isCustomer && slug}
      onClose={onClose}
    >
      {!isWaiting && (
        <Notice tone="warning" title="Until renderers read the keys again, usually within 5 minutes">
          <ul className="list-disc pl-4">
            <li>Renderers that verify offline still accept this key’s tokens.</li>
            {state === "signs" && (
              <li>Another key signs immediately. Renderers that never look up unknown keys refuse its tokens.</li>
            )}
          </ul>
        </Notice>
      )}
    </ConfirmAction>
  );
}
