import { compile, visibleByDefinition } from "@/lib/definitions/check";
import type { Definitions } from "@/lib/definitions/schema";
import type { Group } from "@/lib/groups/queries";
import { rawJson, writeJson } from "@/lib/json/raw-json";
import { DEFAULT_LIFE, isSecretSigned, viewerClaims, visibleMembers } from "@/lib/viewer-tokens/claims";
import type { ClaimTemplate, ViewerSettings } from "@/lib/viewer-tokens/settings-schema";

/** The length of a signature in base64url. */
const SIGNATURE_BYTES = { ES256: 86, HS256: 43, HS384: 64, HS512: 86 };

/** An example viewer: as an id, and with the details that some templates insert. */
const VIEWER = "user_42";
const PERSON = rawJson(`{"id":"${VIEWER}","name":"Ada","email":"ada@example.com"}`);

interface Previewed {
  group: Pick<Group, "teamId" | "providedId" | "name" | "mapping" | "properties" | "accessEndsAt">;
  /** in effect for the group */
  origins: string[] | null;
  settings: ViewerSettings;
  definitions: Definitions;
  /** a claim template's name */
  template: string | undefined;
  issuer: string;
  /** slug */
  environment: string;
  /** in milliseconds since 1970 */
  now: number;
}

/**
 * The claims of a viewer token as the service would mint it; `gen`, `jti` and `viewer_key` are placeholders.
 * @throws {AppError} `invalid_fields` when its template needs a value that is missing
 */
export function previewClaims({
  group,
  origins,
  settings,
  definitions,
  template,
  issuer,
  environment,
  now,
}: Previewed) {
  const chosen = template === undefined ? undefined : settings.templates[template];
  const properties = compile(definitions).variables(group.properties).text;
  const listed = [...settings.visible.properties, ...visibleByDefinition(definitions)];
  const viewer = writeJson(chosen?.claims ?? {}).includes("viewer.") ? PERSON : VIEWER;
  const iat = Math.floor(now / 1_000);
  const end =
    group.accessEndsAt === null ? Number.POSITIVE_INFINITY : Math.floor(Date.parse(group.accessEndsAt) / 1_000);
  return viewerClaims({
    issuer,
    environment,
    settings,
    viewer,
    viewerKey: "k".repeat(22),
    ownOrigins: origins,
    group: { team_id: group.teamId, provided_id: group.providedId, name: group.name, gen: 0 },
    template: chosen,
    variables: visibleMembers(properties, listed),
    mapping: visibleMembers(group.mapping, settings.visible.mapping),
    stored: { properties, mapping: group.mapping },
    issued: { iat, exp: Math.min(iat + (chosen?.expires_in ?? DEFAULT_LIFE), end), jti: "j".repeat(22) },
  });
}

/** The length of a signed token with these claims, in bytes. */
export function lengthOfToken(claims: object, template: ClaimTemplate | undefined): number {
  const hasSecret = isSecretSigned(template);
  const alg = hasSecret ? template.signing.algorithm : "ES256";
  const typ = template ? (template.typ ?? "JWT") : "viewer+jwt";
  const header = { alg, typ, kid: hasSecret ? undefined : "k".repeat(43) };
  const encoded = (part: object) => Math.ceil((new TextEncoder().encode(writeJson(part)).length * 4) / 3);
  return encoded(header) + encoded(claims) + SIGNATURE_BYTES[alg] + 2;
}
