import { type Asked, authorOf } from "@/lib/auth/caller";
import { authorFrom, authorValues, checking, recording } from "@/lib/authority/authority";
import { statement, writeText } from "@/lib/db/pool";
import { AppError } from "@/lib/errors";
import { noGroup } from "@/lib/groups/group";
import { forViewerToken } from "@/lib/store/group-row";
import { issuerOf, mintPreview } from "@/lib/viewer-tokens/service";
import { readViewerSettings } from "@/lib/viewer-tokens/settings";

/** Without a viewer: a preview shows a member as the viewer. */
const VIEWED = forViewerToken("NULL::bytea");
const VIEW_AS = statement("view_as")`
  WITH g AS (
    SELECT * FROM user_group WHERE environment_id = $1 AND provided_id = $2
  ), ${checking(`g CROSS JOIN ${authorFrom(3)}`, "viewers:mint")}, ${recording({
    columns: "environment_id, team_id, action",
    values: "environment_id, team_id, 'user_group.viewed_as'",
    rows: `(SELECT * FROM g WHERE state = 'active' AND access_ends_at > now() IS NOT FALSE) AS viewed
      CROSS JOIN ${authorFrom(3)}`,
  })}
  SELECT ${VIEWED.columns} FROM g, checked`;

/** The page that shows a group's dashboards. */
export interface View {
  /** with the viewer token in its fragment */
  url: string;
  /** milliseconds since 1970 */
  expiresAt: number;
}

/**
 * The environment's preview page with a short viewer token of the group; the history records who asked.
 * @throws {AppError} `unknown_user_group`, `not_active`, or `conflict` when the environment has no preview page
 */
export async function viewAs({ caller, input }: Asked<{ user_group_id: string }>): Promise<View> {
  const { environment, actorId } = caller;
  // Throws before anything is recorded.
  issuerOf(environment.slug);
  const { preview_url } = await readViewerSettings(caller);
  if (preview_url === null) {
    throw new AppError("conflict", "This environment has no preview page. Set preview_url in its viewer settings.");
  }
  const values = [environment.id, input.user_group_id, ...authorValues(authorOf(caller))];
  const [row] = await writeText(VIEW_AS, values);
  if (!row) return noGroup(environment.id, input.user_group_id);
  const group = VIEWED.read(environment.id, row, 0);
  const { token, expiresAt } = await mintPreview(environment, group, `member:${actorId}`);
  return { url: preview_url.replace("{{viewerToken}}", token), expiresAt };
}
