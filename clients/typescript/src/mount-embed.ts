import { type FetchToken, type KeepFreshOptions, keepFresh } from "./keep-fresh.js";

export interface EmbedOptions extends Omit<KeepFreshOptions, "refusals"> {
  /** the renderer's page, without a token */
  src: string;
  fetchToken: FetchToken;
  /** names the frame for screen readers; default "Dashboard" */
  title?: string;
}

/** A mounted dashboard. */
export interface Embed {
  /** why access ended; undefined after `unmount` or when the signal aborts */
  ended: Promise<string | undefined>;
  unmount(): void;
}

/**
 * Shows a dashboard in a frame inside `element`, and keeps its viewer token fresh as {@link keepFresh} does. Posts
 * tokens only to the origin of `src`. The frame posts `{type: "user-groups:ready"}` when it listens, and
 * `{type: "user-groups:refused", viewer_token}` when that token was refused; it receives `{type: "user-groups:token",
 * viewer_token, expires_at}`, and `{type: "user-groups:ended", reason}`.
 */
export function mountEmbed(
  // Not Element: a server's `lib` may lack "dom".
  element: { append(...nodes: unknown[]): void },
  { src, fetchToken, title = "Dashboard", signal, onError }: EmbedOptions,
): Embed {
  const { href, origin } = new URL(src, document.baseURI);
  if (!/^https?:/.test(origin)) throw new TypeError("src must be an http or https URL");
  const frame = Object.assign(document.createElement("iframe"), { src: href, title });
  const refusals = new EventTarget();
  const controller = new AbortController();
  let isReady = false;
  let isElsewhere = false;
  let message: object | undefined;
  let token: string | undefined;

  function post(next = message) {
    message = next;
    if (isReady) frame.contentWindow?.postMessage(message, origin);
  }
  function receive({ source, origin: sender, data }: MessageEvent) {
    if (source !== frame.contentWindow) return;
    if (sender !== origin) return reportElsewhere(sender, data);
    if (data?.type === "user-groups:refused" && data.viewer_token === token)
      refusals.dispatchEvent(new Event("refused"));
    if (data?.type !== "user-groups:ready") return;
    isReady = true;
    if (message) post();
  }
  /** Otherwise a redirect of `src` to another origin would silently leave an empty frame. */
  function reportElsewhere(sender: string, data: unknown) {
    if (isElsewhere || !String(Object(data).type).startsWith("user-groups:")) return;
    isElsewhere = true;
    onError?.(new Error(`The frame is at ${sender}, but src is at ${origin}.`));
  }
  function unmount() {
    controller.abort();
    signal?.removeEventListener("abort", unmount);
    window.removeEventListener("message", receive);
    frame.remove();
  }

  window.addEventListener("message", receive);
  signal?.addEventListener("abort", unmount);
  element.append(frame);
  if (signal?.aborted) unmount();
  const ended = keepFresh(
    fetchToken,
    (viewer_token, { expires_at }) => {
      token = viewer_token;
      post({ type: "user-groups:token", viewer_token, expires_at });
    },
    { signal: controller.signal, refusals, ...(onError && { onError }) },
  ).then((reason) => {
    if (reason !== undefined) post({ type: "user-groups:ended", reason });
    return reason;
  });
  return { ended, unmount };
}
