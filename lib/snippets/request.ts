import { CURRENT_TOKEN, type Value } from "@/lib/snippets/literal";

/** The calls of the API that snippets make. */
export const CALLS = ["getOrCreate", "update", "rotate"] as const;
export type Call = (typeof CALLS)[number];

/** The variables of the environment that snippets read: no secret ever stands in one. */
export const API_TOKEN_VARIABLE = "USER_GROUPS_API_TOKEN";
export const CURRENT_TOKEN_VARIABLE = "USER_GROUP_TOKEN";

/** What a snippet says about the key it makes. */
export const KEY_NOTE = "One key for each rotation that is meant: a repetition with the same key rotates nothing.";

/** What a snippet sends of a group. */
export interface SnippetGroup {
  user_group_id: string;
  name?: string;
  mapping?: { [schema: string]: Value };
  properties?: { [name: string]: Value } | null;
}

/** What a snippet is about. */
export interface SnippetValues {
  /** where the service is, without the path of the API */
  baseUrl: string;
  group: SnippetGroup;
}

/** One call on the wire. */
export interface SnippetRequest {
  call: Call;
  isRotation: boolean;
  method: "GET" | "PUT" | "POST";
  url: string;
  body: Value;
}

const METHODS = { getOrCreate: "GET", update: "PUT", rotate: "POST" } as const;

/** What a call sends, by a client that can send a GET with a body. */
export function requestOf(call: Call, { baseUrl, group }: SnippetValues): SnippetRequest {
  const isRotation = call === "rotate";
  const body: Value = isRotation ? { current_token: CURRENT_TOKEN } : { ...group };
  return { call, isRotation, method: METHODS[call], url: `${encodeBase(baseUrl)}/api/user`, body };
}

/** What no URL has is percent-encoded: so none has a double quote, a backslash or anything that is not ASCII. */
function encodeBase(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent);
}
