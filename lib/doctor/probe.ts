import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ask, BOUNDS, inShort, messageOf } from "@/lib/doctor/ask";
import { StartError } from "@/lib/errors";
import { requestText } from "@/lib/outgoing/request-text";

/** Placeholder of the token in a renderer's URL or header. */
export const TOKEN_PLACE = "{{viewerToken}}";

/** A user group, and a text that the renderer shows only to its viewers. */
export interface ProbedGroup {
  id: string;
  marker: string;
  /** the variables of its viewer tokens */
  variables: object | undefined;
}

interface ProbeOptions {
  service: URL;
  apiToken: string;
  /** the renderer's URL; this or `header` contains {@link TOKEN_PLACE} */
  url: string;
  header: string | undefined;
  template: string | undefined;
  groups: [ProbedGroup, ProbedGroup];
  /** seconds within which the renderer must refuse a token that has ended */
  within: number;
  /** rejects to end the probe early */
  interrupted: Promise<never>;
}

/** The judgement of the renderer's answer to a token. */
interface Judgement {
  name: string;
  isRight: boolean;
  says: string;
}

/** A renderer's answer. */
interface Shown {
  status: number;
  /** the groups whose markers it contains */
  ids: string[];
  /** why there is no answer */
  problem?: string;
}

const PAUSE_MS = 2_000;
const LIFE = 120;

/**
 * How the viewer tokens of new groups end; no customer's group is touched. A group's access ends after `lives` seconds,
 * which also makes a token expire sooner than the minimum of 60 s.
 */
const ENDS = [
  { kind: "expired", lives: 10, path: undefined },
  { kind: "revoked", lives: 900, path: "/api/user-groups/end-views" },
  { kind: "suspended", lives: 900, path: "/api/user-groups/suspend" },
] as const;

/**
 * Calls a renderer with seven viewer tokens, and judges its answers: each group's token must show only its own marker,
 * and the other tokens must get 4xx without a marker.
 * @throws {StartError} when the service refuses a call
 */
export async function probe(options: ProbeOptions): Promise<Judgement[]> {
  const prober = new Prober(options);
  const [a, b] = options.groups;
  const like = await prober.read(a.id);
  const [ofA, ofB] = [await prober.mint(a), await prober.mint(b)];
  const shown = [judgeShown(a.id, await prober.show(ofA)), judgeShown(b.id, await prober.show(ofB))];
  const forged = [
    judgeRefused("foreign token", await prober.show(foreign(ofA))),
    judgeRefused("altered token", await prober.show(altered(ofA, ofB))),
  ];
  return [...shown, ...(await prober.endTokens(like)), ...forged];
}

class Prober {
  /** how far the service's clock is ahead of performance.now(), in milliseconds */
  private ahead = 0;

  constructor(private readonly options: ProbeOptions) {}

  /** The mapping and properties for new groups like this one. */
  async read(id: string): Promise<object> {
    const { user_groups } = await this.call("GET", `/api/user-groups?user_group_id=${encodeURIComponent(id)}`);
    const [group] = user_groups as { mapping: object; properties: object | null }[];
    if (!group) throw new StartError(`There is no user group "${id}" in the API token's environment.`);
    return { mapping: group.mapping, properties: group.properties };
  }

  async mint({ id, variables }: Omit<ProbedGroup, "marker">, expires_in = LIFE): Promise<string> {
    const { template } = this.options;
    const body = { user_group_id: id, variables, template, expires_in };
    const token = String((await this.call("POST", "/api/viewer-tokens", body)).viewer_token);
    this.ahead = partOf(token, 1).iat * 1_000 - performance.now();
    return token;
  }

  /** The renderer's answer to a token. */
  async show(token: string): Promise<Shown> {
    const { url, header = "", groups } = this.options;
    const [name = "", ...value] = header.split(":");
    const headers = header && { [name.trim()]: value.join(":").trim().replaceAll(TOKEN_PLACE, token) };
    try {
      const address = new URL(url.replaceAll(TOKEN_PLACE, token));
      const { status, text } = await requestText(address, { ...BOUNDS, ...(headers && { headers }) });
      return { status, ids: groups.filter(({ marker }) => text.includes(marker)).map(({ id }) => id) };
    } catch (error) {
      return { status: 0, ids: [], problem: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Creates groups, and ends their tokens in each way. */
  async endTokens(like: object): Promise<Judgement[]> {
    const suffix = randomBytes(6).toString("hex");
    const ends = ENDS.map((end) => ({ ...end, id: `probe-${end.kind}-${suffix}` }));
    const ids = ends.map(({ id }) => ({ user_group_id: id }));
    // First, as a token that may not delete them must not create them.
    await this.batch("delete", ids, "unknown_user_group");
    const rows = ends.map(({ id, lives }) => {
      const access_ends_at = new Date(performance.now() + this.ahead + lives * 1_000).toISOString();
      return { user_group_id: id, name: "Probe", ...like, access_ends_at };
    });
    try {
      await this.batch("upsert", rows);
      return await Promise.race([Promise.all(ends.map((end) => this.endToken(end))), this.options.interrupted]);
    } finally {
      // Groups that could not be created are unknown; the first error says why.
      await this.batch("delete", ids, "unknown_user_group");
    }
  }

  private async endToken({ kind, id, path }: (typeof ENDS)[number] & { id: string }): Promise<Judgement> {
    const name = `${kind} token`;
    const { within, groups } = this.options;
    const token = await this.mint({ id, variables: groups[0].variables }, 900);
    const { iat, exp } = partOf(token, 1);
    const expiry = path === undefined && sleep((exp - iat) * 1_000);
    const before = await this.show(token);
    if (!isServed(before)) {
      const says = `not known: even before, a new group like ${groups[0].id} gets ${inWords(before)}`;
      return { name, isRight: false, says };
    }
    await (path ? this.call("POST", path, { user_group_id: id }) : expiry);
    const endedAt = performance.now();
    for (;;) {
      const shown = await this.show(token);
      const seconds = Math.round((performance.now() - endedAt) / 1_000);
      const { isRight, says } = judgeRefused(name, shown);
      if (isRight || seconds >= within) return { name, isRight, says: `${says}, ${seconds} s after its end` };
      await sleep(PAUSE_MS);
    }
  }

  private async batch(mode: "upsert" | "delete", user_groups: object[], expected?: string) {
    const { results } = await this.call("POST", "/api/user-groups/batch", { mode, user_groups });
    const errors = (results as { error?: { code: string; message: string } }[]).flatMap(({ error }) => error ?? []);
    const failed = errors.find(({ code }) => code !== expected);
    if (failed) throw new StartError(`The probe's own groups: ${failed.message}`);
  }

  private async call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const { service, apiToken } = this.options;
    const headers = { Authorization: `Token ${apiToken}` };
    const answer = await ask(service, { method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    if (answer.status === 200 && answer.json) return answer.json;
    const [place = ""] = path.split("?");
    throw new StartError(`The service answers ${method} ${place} with ${inShort(answer)}. ${messageOf(answer)}`.trim());
  }
}

const isServed = ({ status }: Shown) => status >= 200 && status < 300;

function judgeShown(id: string, shown: Shown): Judgement {
  const isRight = isServed(shown) && shown.ids.length === 1 && shown.ids[0] === id;
  return { name: id, isRight, says: isRight ? "shows its marker alone" : `gets ${inWords(shown)}` };
}

function judgeRefused(name: string, shown: Shown): Judgement {
  const { status, ids } = shown;
  // A renderer that is too busy has not judged the token.
  const isRight = status >= 400 && status < 500 && status !== 408 && status !== 429 && ids.length === 0;
  return { name, isRight, says: isRight ? `refused with ${status}` : `gets ${inWords(shown)}` };
}

function inWords({ status, ids, problem }: Shown): string {
  if (problem !== undefined) return `no answer (${problem})`;
  return `${status} ${ids.length > 0 ? `with the marker of ${ids.join(" and ")}` : "without a marker"}`;
}

function partOf(token: string, part: 0 | 1) {
  return JSON.parse(Buffer.from(token.split(".")[part] ?? "", "base64url").toString());
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** The same claims, signed with a foreign key that the token itself contains. */
function foreign(token: string): string {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const header = { ...partOf(token, 0), alg: "ES256", jwk: publicKey.export({ format: "jwk" }) };
  const signed = `${encode(header)}.${encode(partOf(token, 1))}`;
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${signed}.${signature.toString("base64url")}`;
}

/** The claims of another group's token under this one's signature. */
function altered(token: string, other: string): string {
  const [header, , signature] = token.split(".");
  return [header, other.split(".")[1], signature].join(".");
}
