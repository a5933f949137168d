import { authorOf, type Caller, type EnvironmentAuthor } from "@/lib/auth/caller";
import { authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { type Run, read, statement, write } from "@/lib/db/pool";
import { environmentDeleted } from "@/lib/errors";
import { forgetMaterial } from "@/lib/viewer-tokens/material";
import { settingsIn, type ViewerSettings } from "@/lib/viewer-tokens/settings-schema";

const READ_SETTINGS = statement("read_viewer_settings")`
  SELECT viewer_settings, allowed_origins FROM environment WHERE id = $1`;

const snapshotOf = (row: string) =>
  `'{"allowed_origins":' || coalesce(to_json(${row}.allowed_origins)::text, 'null')
    || ',"settings":' || coalesce(${row}.viewer_settings, '{}') || '}'`;

// Not FOR UPDATE, which would block group creations.
const SET_SETTINGS = statement("set_viewer_settings")`
  WITH was AS (
    SELECT id AS environment_id, viewer_settings, allowed_origins FROM environment WHERE id = $1 FOR NO KEY UPDATE
  ), ${checking(`was CROSS JOIN ${authorFrom(4)}`, "definitions:write")}, changed AS (
    UPDATE environment e SET viewer_settings = $2, allowed_origins = $3::text[], viewer_version = viewer_version + 1
    FROM was WHERE e.id = was.environment_id
      AND (was.viewer_settings, was.allowed_origins) IS DISTINCT FROM ($2, $3::text[])
    RETURNING e.id AS environment_id, e.viewer_settings, e.allowed_origins
  ), ${recording({
    columns: "environment_id, action, before, after",
    values: `changed.environment_id, 'environment.viewer_settings_changed', ${snapshotOf("was")},
      ${snapshotOf("changed")}`,
    rows: `changed JOIN was USING (environment_id) CROSS JOIN ${authorFrom(4)}`,
  })}
  SELECT was.environment_id FROM was, checked`;

interface SettingsRow {
  viewer_settings: string | null;
  allowed_origins: string[] | null;
}

interface Change {
  caller: EnvironmentAuthor;
  input: ViewerSettings;
}

/** The environment's settings for viewer tokens. */
export async function readViewerSettings({ environment }: Pick<Caller, "environment">): Promise<ViewerSettings> {
  const [row] = await read<SettingsRow>(READ_SETTINGS, [environment.id]);
  if (!row) throw environmentDeleted();
  const { viewer_settings, allowed_origins } = row;
  return { ...settingsIn(viewer_settings), allowed_origins };
}

/** Replaces the environment's settings for viewer tokens, and records a change. Existing tokens stay as they are. */
export async function changeViewerSettings(change: Change): Promise<ViewerSettings> {
  await setViewerSettings(write, change);
  forgetMaterial(change.caller.environment.id);
  return change.input;
}

/** As {@link changeViewerSettings}, in a transaction; {@link forgetMaterial} after it makes them known. */
export async function setViewerSettings(run: Run, { caller, input }: Change) {
  const { allowed_origins, ...rest } = input;
  const values = [caller.environment.id, JSON.stringify(rest), allowed_origins, ...authorValues(authorOf(caller))];
  const [row] = await run(SET_SETTINGS, values);
  if (!row) throw environmentDeleted();
}
