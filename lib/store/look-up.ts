import type { BlockList } from "node:net";
import { networkList } from "@/lib/authority/authority";
import { ACCESS_SCOPES, type Scope } from "@/lib/authority/scopes";
import { type EnvironmentTag, GRANT, isBound } from "@/lib/crypto/api-token";
import { away } from "@/lib/db/failures";
import { readText, statement } from "@/lib/db/pool";
import { StandbyError } from "@/lib/db/session";
import { LARGEST_BATCH, sharingStatements } from "@/lib/db/share-statements";
import {
  forViewerToken,
  type GroupKey,
  type GroupReader,
  type GroupRow,
  type KeyColumn,
  readerFor,
} from "@/lib/store/group-row";

/** The unchanging parts of an environment. */
export interface Environment {
  id: number;
  slug: string;
  tag: EnvironmentTag;
}

/** A valid API token with its environment. */
export interface ApiTokenRow extends Granted {
  /** the keyed hash that found its row, and to which the row is bound */
  credential: Buffer;
  /** as {@link API_TOKEN_TEXT} selects it */
  text: string;
  id: number;
  name: string;
  environment: Environment;
}

/** What an API token may do. */
interface Granted {
  scopes: ReadonlySet<Scope>;
  /** whether it is from before scopes, when a token read or wrote */
  predatesScopes: boolean;
  /** the networks that it is accepted from; undefined for any */
  networks: BlockList | undefined;
}

interface LookUp {
  credential: Buffer;
  group: GroupKey | undefined;
  /** the token as last found, parsed and verified again only if it has changed */
  known?: ApiTokenRow | undefined;
}

/** The result of a look-up: undefined when the credential is invalid. */
export type LookUpResult = { apiToken: ApiTokenRow; group: GroupRow | undefined } | undefined;

/** Selected by a standby, where revoked tokens may still be valid: PgBouncer hides standbys at login. */
const STANDBY = "standby";

/** All that a look-up reads of the row `t` of api_token. */
export const API_TOKEN_TEXT = `concat_ws(',', t.id, ${GRANT}, t.environment_id, encode(t.binding, 'hex'), t.name)`;

// OFFSET 0 makes the look-up use both conditions. Otherwise PostgreSQL 18 may skip the environment, and search the
// index once per environment.
const lookUpSql = ({ columns }: GroupReader, column: KeyColumn, asked: string) => `
  SELECT q.n,
    CASE WHEN pg_is_in_recovery() THEN '${STANDBY}'
      ELSE ${API_TOKEN_TEXT} END,
    ${columns}
  FROM ${asked}
  LEFT JOIN api_token t ON t.token_index = q.credential AND t.revoked_at IS NULL
    AND (t.expires_at IS NULL OR t.expires_at > now())
  LEFT JOIN LATERAL (
    SELECT * FROM user_group WHERE environment_id = t.environment_id AND ${column} = q.${column} OFFSET 0
  ) AS g ON true`;

const TYPES = { provided_id: "text", token_index: "bytea", team_id: "int" } satisfies Record<KeyColumn, string>;

/** Arrays for many calls; plain values for one, which take PostgreSQL half the time. */
function statements(column: KeyColumn, isForViewers: boolean) {
  const reader = isForViewers ? forViewerToken("q.viewer") : readerFor(column);
  const name = isForViewers ? `${column}_for_viewer_token` : column;
  const types = ["bytea", TYPES[column], ...(isForViewers ? ["bytea"] : [])];
  const values = (list: string) => types.map((type, n) => `$${n + 1}::${type}${list}`).join(", ");
  const q = `q(credential, ${column}${isForViewers ? ", viewer" : ""}, n)`;
  return {
    many: {
      name: `look_up_by_${name}`,
      text: lookUpSql(reader, column, `unnest(${values("[]")}) WITH ORDINALITY AS ${q}`),
    },
    one: { name: `look_up_one_by_${name}`, text: lookUpSql(reader, column, `(SELECT ${values("")}, 1) AS ${q}`) },
    read: reader.read,
    isForViewers,
  };
}

const loaders = (isForViewers: boolean) => {
  const by = (column: KeyColumn) => loader(statements(column, isForViewers));
  return { id: by("provided_id"), token: by("token_index"), number: by("team_id") };
};
const plain = loaders(false);
const forViewers = loaders(true);

/**
 * Finds an API token by its keyed hash, and in the same statement the group of its request.
 * Concurrent calls share a statement.
 */
export function lookUp(asked: LookUp): Promise<LookUpResult> {
  return loaderOf(asked.group)(asked);
}

function loaderOf(group: GroupKey | undefined) {
  const { id, token, number } = group?.forViewerToken ? forViewers : plain;
  if (!group) return id;
  if ("teamId" in group) return number;
  return "tokenIndex" in group ? token : id;
}

function loader({ many, one, read, isForViewers }: ReturnType<typeof statements>) {
  const values = [({ credential }: LookUp) => credential, groupOf, ...(isForViewers ? [viewerOf] : [])];
  return sharingStatements<LookUp, LookUpResult>(LARGEST_BATCH, async (keys) => {
    const [first] = keys;
    const rows =
      first && keys.length === 1
        ? await readText(
            one,
            values.map((of) => of(first)),
          )
        : await readText(
            many,
            values.map((of) => keys.map(of)),
          );
    const found = new Array<LookUpResult>(keys.length).fill(undefined);
    for (const row of rows) {
      const [n, text, teamId] = row;
      const key = keys[Number(n) - 1];
      if (!key) continue;
      const { credential, known } = key;
      const isKnown = known?.text === text && known?.credential.equals(credential);
      const apiToken = isKnown ? known : await readApiToken(text ?? "", credential);
      if (!apiToken) continue;
      const group = teamId === null ? undefined : read(apiToken.environment.id, row, 2);
      found[Number(n) - 1] = { apiToken, group };
    }
    return found;
  });
}

function groupOf({ group }: LookUp): string | Buffer | number | null {
  if (!group) return null;
  if ("teamId" in group) return group.teamId;
  return "tokenIndex" in group ? group.tokenIndex : group.providedId;
}

function viewerOf({ group }: LookUp) {
  return group?.viewer;
}

async function readApiToken(text: string, credential: Buffer): Promise<ApiTokenRow | undefined> {
  if (text === "") return undefined;
  if (text === STANDBY) throw away(new StandbyError());
  // The name comes last, because it may contain commas.
  const [, id = "", grant = "", environmentId, binding = "", name = ""] =
    /^(\d+),([^,]*),(\d+),([0-9a-f]*),(.*)$/s.exec(text) ?? [];
  const bound = { environmentId: Number(environmentId), grant };
  if (!isBound(credential, bound, Buffer.from(binding, "hex"))) return undefined;
  const environment = await environmentOf(bound.environmentId);
  if (!environment) return undefined;
  return { id: Number(id), name, text, ...readGrant(grant), environment, credential };
}

/** Parses what `GRANT` selects; an unknown scope, from a newer release, allows nothing here. */
function readGrant(grant: string): Granted {
  if (grant === "read" || grant === "write") {
    return { scopes: new Set(ACCESS_SCOPES[grant]), predatesScopes: true, networks: undefined };
  }
  const [scopes = "", networks = ""] = grant.split(";");
  return {
    scopes: new Set(scopes.split(" ") as Scope[]),
    predatesScopes: false,
    networks: networks === "" ? undefined : networkList(networks.split(" ")),
  };
}

const FIND_ENVIRONMENT = statement("find_environment")`SELECT slug, tag FROM environment WHERE id = $1`;

/** An environment's slug and tag never change, and its id is never reused: each process reads them once. */
const environments = new Map<number, Environment>();

async function environmentOf(id: number): Promise<Environment | undefined> {
  const known = environments.get(id);
  if (known) return known;
  const [row] = await readText(FIND_ENVIRONMENT, [id]);
  // The environment's API tokens were just deleted with it.
  if (!row) return undefined;
  const environment = { id, slug: row[0] ?? "", tag: row[1] as EnvironmentTag };
  environments.set(id, environment);
  return environment;
}
