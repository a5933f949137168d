import { type Run, statement } from "@/lib/db/pool";
import { AppError, type FieldIssue, invalidFields } from "@/lib/errors";
import { differencesOf } from "@/lib/json/differences";
import { isSecretSigned } from "@/lib/viewer-tokens/claims";
import { sealRendererSecret } from "@/lib/viewer-tokens/key";
import type { ClaimTemplate } from "@/lib/viewer-tokens/settings-schema";

type Templates = Record<string, ClaimTemplate>;

/** A renderer's secret to store. */
export interface NewSecret {
  template: string;
  secret: string;
  /** seconds until it signs; the previous secret signs until then */
  startsIn: number;
  /** whether it signs the same claims, by the same algorithm, as the previous secret */
  signsTheSame: boolean;
}

/**
 * The secrets sent with templates. Only a caller who sends the secret again, or immediately replaces it, can change the
 * claims that it signs.
 * @throws {AppError} `invalid_fields` for a missing secret
 */
export function secretsIn(stored: Templates, wanted: Templates): NewSecret[] {
  const issues: FieldIssue[] = [];
  const secrets = Object.entries(wanted).flatMap(([name, template]): NewSecret[] => {
    if (!isSecretSigned(template)) return [];
    const { secret, starts_in: startsIn = 0 } = template.signing;
    const refuse = (member: string, message: string) =>
      issues.push({ path: ["templates", name, "signing", member], message });
    const was = Object.hasOwn(stored, name) ? stored[name] : undefined;
    const signsTheSame = isSecretSigned(was) && differencesOf(signedPart(was), signedPart(template)).length === 0;
    if (secret !== undefined && startsIn > 0 && !signsTheSame) {
      refuse("starts_in", "must be 0 for a new template and with other claims or another algorithm");
    }
    if (secret !== undefined) return [{ template: name, secret, startsIn, signsTheSame }];
    if (!isSecretSigned(was)) refuse("secret", "is missing: this template has none yet");
    else if (!signsTheSame) refuse("secret", "must be sent again: claims and algorithm change only with the secret");
    return [];
  });
  if (issues.length > 0) throw invalidFields(issues);
  return secrets;
}

const signedPart = ({ signing, claims }: ClaimTemplate) =>
  JSON.stringify({ algorithm: signing?.algorithm ?? "ES256", claims });

// Keeps the signing secret if its successor signs later.
const DROP_SECRET = statement("drop_template_secret")`
  DELETE FROM viewer_key WHERE environment_id = $1 AND template = $2 AND public_jwk IS NULL
    AND NOT ($3::boolean AND kid = (
      SELECT kid FROM viewer_key WHERE environment_id = $1 AND template = $2 AND public_jwk IS NULL
        AND signs_from <= now() ORDER BY signs_from DESC LIMIT 1))`;

const STORE_SECRET = statement("store_template_secret")`
  INSERT INTO viewer_key (kid, environment_id, template, private_sealed, signs_from)
  VALUES ($1, $2, $3, $4, CASE WHEN $5::int > 0 THEN now() + $5::int * interval '1 second' ELSE to_timestamp(0) END)`;

const DROP_OTHER_SECRETS = statement("drop_other_template_secrets")`
  DELETE FROM viewer_key WHERE environment_id = $1 AND public_jwk IS NULL AND template <> ALL ($2::text[])`;

const FIND_WAITING = statement("find_waiting_template_secret")`
  SELECT FROM viewer_key WHERE environment_id = $1 AND template = $2 AND public_jwk IS NULL AND signs_from > now()`;

/**
 * Stores new secrets in the transaction that changes the templates, and drops those of templates without one.
 * @throws {AppError} `conflict` when other claims would drop a secret that does not sign yet
 */
export async function storeSecrets(run: Run, environmentId: number, templates: Templates, secrets: NewSecret[]) {
  for (const { template, secret, startsIn, signsTheSame } of secrets) {
    if (!signsTheSame && (await run(FIND_WAITING, [environmentId, template])).length > 0) {
      const advice = "Change the claims once it signs, or send the secret alone to replace both.";
      throw new AppError("conflict", `Another secret of the template “${template}” is about to sign. ${advice}`);
    }
    const { kid, sealed } = sealRendererSecret(environmentId, secret);
    await run(DROP_SECRET, [environmentId, template, startsIn > 0]);
    await run(STORE_SECRET, [kid, environmentId, template, sealed, startsIn]);
  }
  const kept = Object.keys(templates).filter((name) => isSecretSigned(templates[name]));
  await run(DROP_OTHER_SECRETS, [environmentId, kept]);
}
