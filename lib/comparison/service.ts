import { type Environment, environmentOf, type MemberCaller, memberAuthor } from "@/lib/auth/member-caller";
import { hasRole } from "@/lib/auth/role";
import { type ComparedWebhook, comparedParts, type Part, type SettingsRow } from "@/lib/comparison/parts";
import type { CopyAnswer, CopyInput } from "@/lib/comparison/schema";
import { type Author, type Authorised, authoriseScope } from "@/lib/db/authority";
import { type Run, read, type Statement } from "@/lib/db/pool";
import { prisma, runIn } from "@/lib/db/prisma";
import { definitions } from "@/lib/definitions/schema";
import { lockDefinitions, readDefinitions, setDefinitions } from "@/lib/definitions/service";
import { requireEnvironment, updateWithin } from "@/lib/environments/service";
import { AppError, environmentDeleted, invalidFields } from "@/lib/errors";
import { findEndPlace } from "@/lib/events/feed";
import type { Place } from "@/lib/events/place";
import { readStoredMembers } from "@/lib/json/json";
import { forgetMaterial } from "@/lib/viewer-tokens/material";
import { setViewerSettings } from "@/lib/viewer-tokens/settings";
import { settingsIn } from "@/lib/viewer-tokens/stored-settings";
import { describeWebhook, insertWebhook, webhookSnapshot } from "@/lib/webhooks/rows";
import type { Prisma } from "@/prisma/generated/client";

const READ_SETTINGS: Statement = {
  name: "read_compared_settings",
  text: `
    SELECT e.id, e.slug, e.embed_template, e.viewer_settings, e.allowed_origins, d.document AS definitions
    FROM environment e LEFT JOIN definitions d ON d.environment_id = e.id WHERE e.id = ANY ($1::int[])`,
};
// Not FOR UPDATE, which would block group creations.
const LOCK_ENVIRONMENTS: Statement = {
  name: "lock_compared_environments",
  text: "SELECT id FROM environment WHERE id = ANY ($1::int[]) ORDER BY id FOR NO KEY UPDATE",
};
const READ_WEBHOOKS: Statement = {
  name: "read_compared_webhooks",
  text: "SELECT id, environment_id, url, description, types FROM webhook WHERE environment_id = ANY ($1::int[]) ORDER BY id",
};
const LOCK_WEBHOOKS: Statement = { name: "lock_compared_webhooks", text: `${READ_WEBHOOKS.text} FOR UPDATE` };

/** Two environments: that of the request, and another. */
export interface Pair {
  here: Environment;
  there: Environment;
}

/**
 * The environment of a request and another one.
 * @throws {AppError} `not_found`, `invalid_fields` when they are the same
 */
export async function pairOf(caller: MemberCaller, slug: string, field: "with" | "to" = "with"): Promise<Pair> {
  const [here, there] = [environmentOf(caller), await requireEnvironment(slug)];
  if (here.id === there.id) throw invalidFields([{ path: [field], message: "must be another environment" }]);
  return { here, there };
}

/**
 * The settings of two environments part by part; webhooks only for members who may see them.
 * @throws {AppError} `not_found` for one that was just deleted
 */
export async function compareSettings(caller: MemberCaller, pair: Pair): Promise<Part[]> {
  return readParts(read, pair, hasRole(caller.role, "admin") ? READ_WEBHOOKS : undefined);
}

async function readParts(run: Run, { here, there }: Pair, webhooks: Statement | undefined): Promise<Part[]> {
  const ids = [here.id, there.id];
  const listed = webhooks && (await run<ComparedWebhook>(webhooks, [ids]));
  const rows = await run<SettingsRow>(READ_SETTINGS, [ids]);
  const of = ({ id }: Environment) => ({
    settings: rows.find((row) => row.id === id) ?? noEnvironment(),
    webhooks: listed?.filter((webhook) => webhook.environment_id === id),
  });
  return comparedParts(of(here), of(there));
}

/**
 * Copies compared parts from here to there: all of them, or none where one has changed on either side since. What is copied gets
 * no secret: a new webhook has one of its own, and is disabled.
 * @throws {AppError} `stale`, `not_found`, `conflict` when there are too many webhooks
 */
export async function copySettings(
  caller: MemberCaller,
  { to, parts: chosen }: CopyInput,
): Promise<CopyAnswer["webhooks"]> {
  const pair = await pairOf(caller, to, "to");
  const { there } = pair;
  const author = memberAuthor(caller);
  const isChosen = (name: string) => chosen.some((one) => one.name === name);
  const place = await findEndPlace(there.id);
  const created = await prisma().$transaction(async (tx) => {
    const run = runIn(tx);
    if (isChosen("definitions")) await lockDefinitions(run, there.id);
    // Both, in the order of their ids: what was shown stays so on either side, and two copies cannot deadlock.
    const locked = await run(LOCK_ENVIRONMENTS, [[pair.here.id, there.id]]);
    if (locked.length < 2) throw environmentDeleted();
    const hasWebhooks = chosen.some(({ name }) => name.startsWith("webhook:"));
    const all = await readParts(run, pair, hasWebhooks ? LOCK_WEBHOOKS : undefined);
    const by = await authoriseScope(tx, author, there.id, "definitions:write");
    const parts = all.filter(({ name }) => isChosen(name));
    requireUnchanged(parts, chosen);
    return copyParts({ tx, run, by, author, there, place }, parts);
  });
  if (isChosen("definitions")) await readDefinitions(there.id);
  forgetMaterial(there.id);
  return created;
}

/** @throws {AppError} `stale` that names the parts */
function requireUnchanged(parts: Part[], chosen: CopyInput["parts"]) {
  const changed = chosen.filter(({ name, tag }) => parts.find((part) => part.name === name)?.tag !== tag);
  if (changed.length === 0) return;
  const names = changed.map(({ name }) => name.replaceAll(/[_:]/g, " ")).join(", ");
  throw new AppError(
    "stale",
    `Nothing was copied: ${names} changed since the environments were compared. Compare again.`,
  );
}

interface Copy {
  tx: Prisma.TransactionClient;
  run: Run;
  by: Authorised;
  author: Author;
  there: Environment;
  place: Place;
}

async function copyParts({ tx, run, by, author, there, place }: Copy, parts: Part[]): Promise<CopyAnswer["webhooks"]> {
  const texts = new Map(parts.map(({ name, here }) => [name, here]));
  const caller = { ...author, environment: there };
  const document = texts.get("definitions");
  if (document !== undefined) {
    await setDefinitions(run, { caller, input: definitions.parse(readStoredMembers(document)), tags: undefined });
  }
  const template = texts.get("embed_template");
  if (template !== undefined) {
    await updateWithin(tx, { slug: there.slug, embedTemplate: JSON.parse(template) }, by);
  }
  const [origins, templates, viewerTokens] = ["allowed_origins", "claim_templates", "viewer_tokens"].map((name) =>
    texts.get(name),
  );
  if (origins ?? templates ?? viewerTokens) {
    const [row = noEnvironment()] = await run<SettingsRow>(READ_SETTINGS, [[there.id]]);
    const input = {
      ...settingsIn(row.viewer_settings),
      allowed_origins: origins ? JSON.parse(origins) : row.allowed_origins,
      ...(templates && { templates: JSON.parse(templates) }),
      ...(viewerTokens && JSON.parse(viewerTokens)),
    };
    await setViewerSettings(run, { caller, input });
  }
  const created: CopyAnswer["webhooks"] = [];
  for (const { webhooks } of parts) {
    if (!webhooks?.here) continue;
    if (webhooks.there) await describeWebhook(tx, by, webhooks.there, webhooks.here);
    else {
      const webhook = webhookSnapshot(webhooks.here);
      const made = await insertWebhook(tx, by, {
        environmentId: there.id,
        webhook: { ...webhook, enabled: false },
        place,
      });
      created.push({ ...made, url: webhook.url });
    }
  }
  return created;
}

function noEnvironment(): never {
  throw environmentDeleted();
}
