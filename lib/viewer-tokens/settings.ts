import { type Asked, authorOf, type Caller, type EnvironmentAuthor, requireScopes } from "@/lib/auth/caller";
import { authorFrom, authoriseScope, authorValues, checking, recording } from "@/lib/authority/authority";
import { type Run, read, statement } from "@/lib/db/pool";
import { prisma, runIn } from "@/lib/db/prisma";
import { lockEnvironment } from "@/lib/environments/service";
import { environmentDeleted } from "@/lib/errors";
import { differencesOf } from "@/lib/json/differences";
import { forgetMaterial } from "@/lib/viewer-tokens/material";
import { type NewSecret, secretsIn, storeSecrets } from "@/lib/viewer-tokens/secrets";
import { settingsIn, type ViewerSettings, withoutSecrets } from "@/lib/viewer-tokens/settings-schema";

const READ_SETTINGS = statement("read_viewer_settings")`
  SELECT viewer_settings, allowed_origins FROM environment WHERE id = $1`;

const snapshotOf = (row: string) =>
  `'{"allowed_origins":' || coalesce(to_json(${row}.allowed_origins)::text, 'null')
    || ',"settings":' || coalesce(${row}.viewer_settings, '{}')`;

// Not FOR UPDATE, which would block group creations.
const SET_SETTINGS = statement("set_viewer_settings")`
  WITH was AS (
    SELECT id AS environment_id, viewer_settings, allowed_origins FROM environment WHERE id = $1 FOR NO KEY UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(4)}`, "definitions:write")}, changed AS (
    UPDATE environment e SET viewer_settings = $2, allowed_origins = $3::text[], viewer_version = viewer_version + 1
    FROM was WHERE e.id = was.environment_id
      AND ((was.viewer_settings, was.allowed_origins) IS DISTINCT FROM ($2, $3::text[]) OR $9::text IS NOT NULL)
    RETURNING e.id AS environment_id, e.viewer_settings, e.allowed_origins
  ), ${recording({
    columns: "environment_id, action, before, after",
    values: `changed.environment_id, 'environment.viewer_settings_changed', ${snapshotOf("was")} || '}',
      ${snapshotOf("changed")} || coalesce(',"new_secrets":' || $9, '') || '}'`,
    rows: `changed JOIN was USING (environment_id) CROSS JOIN ${authorFrom(4)}`,
  })}
  SELECT was.environment_id FROM was, checked`;

interface SettingsRow {
  viewer_settings: string | null;
  allowed_origins: string[] | null;
}

/** The environment's settings for viewer tokens. */
export function readViewerSettings({ environment }: Pick<Caller, "environment">): Promise<ViewerSettings> {
  return readSettings(read, environment.id);
}

async function readSettings(run: Run, environmentId: number): Promise<ViewerSettings> {
  const [row] = await run<SettingsRow>(READ_SETTINGS, [environmentId]);
  if (!row) throw environmentDeleted();
  const { viewer_settings, allowed_origins } = row;
  return { ...settingsIn(viewer_settings), allowed_origins };
}

/**
 * Replaces the environment's settings for viewer tokens, and records a change. Existing tokens stay as they are.
 * @throws {AppError} `forbidden` for changed templates without their scope; `invalid_fields` for a missing secret;
 * `conflict` as `storeSecrets` throws
 */
export async function changeViewerSettings({ caller, input }: Asked<ViewerSettings>): Promise<ViewerSettings> {
  const { environment } = caller;
  if (differsIn(await readViewerSettings(caller), input)) requireScopes(caller, ["templates:write"]);
  await prisma().$transaction(async (tx) => {
    const run = runIn(tx);
    await lockEnvironment(run, environment.id);
    const stored = await readSettings(run, environment.id);
    if (differsIn(stored, input)) await authoriseScope(tx, authorOf(caller), environment.id, "templates:write");
    await setViewerSettings(run, caller, input, secretsIn(stored.templates, input.templates));
  });
  forgetMaterial(environment.id);
  return { ...input, templates: withoutSecrets(input.templates) };
}

/** Whether the wanted templates differ, or contain a secret. */
const differsIn = (stored: ViewerSettings, { templates }: ViewerSettings) =>
  differencesOf(JSON.stringify(stored.templates), JSON.stringify(templates)).length > 0;

/**
 * Stores settings in a transaction that has locked the environment. Call {@link forgetMaterial} after the commit.
 */
export async function setViewerSettings(
  run: Run,
  caller: EnvironmentAuthor,
  input: ViewerSettings,
  secrets: NewSecret[],
) {
  const { allowed_origins, templates, ...rest } = input;
  const { id } = caller.environment;
  const text = JSON.stringify({ ...rest, templates: withoutSecrets(templates) });
  const renewed = secrets.length > 0 ? JSON.stringify(secrets.map(({ template }) => template)) : null;
  const [row] = await run(SET_SETTINGS, [id, text, allowed_origins, ...authorValues(authorOf(caller)), renewed]);
  if (!row) throw environmentDeleted();
  await storeSecrets(run, id, templates, secrets);
}
