export interface ShownAnswer {
  status: number;
  headers: [name: string, value: string][];
  text: string;
}

export interface Sent {
  method: string;
  path: string;
  token: string;
  body: string;
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
    headers: { Authorization: `Token ${token}`, "Content-Type": "application/json", ...headers },
    body,
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
  return { status: response.status, headers: shown, text: await response.text() };
}
