import { CURRENT_TOKEN, hasCurrentToken, type Value } from "@/lib/snippets/literal";

/** The calls about a group and its token. */
export const CALLS = ["getOrCreate", "update", "rotate"] as const;
export type GroupSnippetCall = (typeof CALLS)[number];
/** The calls of the API that snippets make. */
export type SnippetCall = GroupSnippetCall | "mint" | "ask" | "list";

/** Environment variables that snippets read; snippets never contain a secret. */
export const API_TOKEN_VARIABLE = "USER_GROUPS_API_TOKEN";
export const CURRENT_TOKEN_VARIABLE = "USER_GROUP_TOKEN";

/** The snippets' comment about the idempotency key. */
export const KEY_NOTE = "Use a new key for each change. A retry with the same key does not repeat the change.";

/** A group's fields in a snippet. */
export interface SnippetGroup {
  user_group_id: string;
  name?: string;
  mapping?: { [schema: string]: Value };
  properties?: { [name: string]: Value } | null;
  /** who views, for a viewer token */
  viewer?: string;
}

/** A snippet's values. */
export interface SnippetValues {
  /** URL of the service, without the API's path */
  baseUrl: string;
  group: SnippetGroup;
}

/** One HTTP call, as a program makes it. */
export interface ProgramRequest {
  /** in PascalCase, as a Java class name */
  name: string;
  method: "GET" | "PUT" | "PATCH" | "POST" | "DELETE";
  url: string;
  body?: Value;
  /** sends an Idempotency-Key */
  hasKey?: boolean;
  /** needs no API token */
  isPublic?: boolean;
  /** answers with text rather than JSON */
  isText?: boolean;
  /** the member of the answer to print; without it, the program prints the whole answer */
  token?: readonly string[];
}

/** Whether the program reads a token from the environment. */
export function readsToken({ isPublic = false, body }: ProgramRequest): boolean {
  return !isPublic || hasCurrentToken(body);
}

/** The name of the class that makes an operation's call. */
export function classNameOf(operationId: string): string {
  return operationId.replace(/^./, (letter) => letter.toUpperCase());
}

const TOKEN = ["user_group", "token"];

interface Preset extends Pick<ProgramRequest, "method" | "body" | "hasKey" | "token"> {
  file: string;
  path: string;
  /** whether its body is the group's fields */
  ofGroup?: boolean;
}

const REQUESTS: Record<SnippetCall, Preset> = {
  getOrCreate: { file: "get-or-create", method: "GET", path: "/api/user", ofGroup: true, token: TOKEN },
  update: { file: "update", method: "PUT", path: "/api/user", ofGroup: true, token: TOKEN },
  rotate: {
    file: "rotate",
    method: "POST",
    path: "/api/user",
    body: { current_token: CURRENT_TOKEN },
    hasKey: true,
    token: TOKEN,
  },
  mint: { file: "viewer-token", method: "POST", path: "/api/viewer-tokens", ofGroup: true, token: ["viewer_token"] },
  ask: { file: "identify-viewer", method: "POST", path: "/api/viewer", body: { token: CURRENT_TOKEN } },
  list: { file: "list-user-groups", method: "GET", path: "/api/user-groups?limit=10" },
};

/** A call's request, for a client that can send a GET with a body, and the name of its file. */
export function requestOf(call: SnippetCall, { baseUrl, group }: SnippetValues): ProgramRequest & { file: string } {
  const { path, ofGroup, ...request } = REQUESTS[call];
  const name = toPascalCase(request.file);
  return { name, ...request, ...(ofGroup && { body: { ...group } }), url: encodeBase(baseUrl) + path };
}

/** "user_group" or "user-group" as "UserGroup". */
export function toPascalCase(name: string): string {
  return name.replace(/(?:^|[-_])([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** Percent-encodes characters outside URLs: the result has no double quotes, backslashes or non-ASCII characters. */
export function encodeBase(baseUrl: string): string {
  return baseUrl.replace(/\/+$/, "").replace(/[^!-~]|["<>\\^`{|}]/gu, encodeURIComponent);
}
