export interface ShownAnswer {
  status: number;
  headers: [name: string, value: string][];
  text: string;
  isJson: boolean;
}

export interface Sent {
  method: string;
  path: string;
  token: string;
  /** undefined for none */
  body: string | undefined;
  headers: Record<string, string>;
}

const SHOWN = ["ETag", "X-Request-Id", "Retry-After", "WWW-Authenticate", "Allow"];

/**
 * Sends a call with an API token and no cookies, like any other client.
 * @throws when there is no response
 */
export async function send({ method, path, token, body, headers }: Sent): Promise<ShownAnswer> {
  const response = await fetch(path, {
    method,
    headers: {
      Authorization: `Token ${token}`,
      ...(body !== undefined && { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body }),
    credentials: "omit",
    cache: "no-store",
    redirect: "error",
  }).catch(() => {
    throw new Error("The service cannot be reached. Check the connection, then try again.");
  });
  const shown = SHOWN.flatMap((name): [string, string][] => {
    const value = response.headers.get(name);
    return value === null ? [] : [[name, value]];
  });
  const isJson = response.headers.get("Content-Type")?.startsWith("application/json") === true;
  return { status: response.status, headers: shown, text: await response.text(), isJson };
}
