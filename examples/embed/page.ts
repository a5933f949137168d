// Runs in the product's page: shows the dashboard, and keeps its viewer token fresh without loading the frame again.
import { type FreshToken, keepFresh } from "@user-groups/client";

const form = find("form", HTMLFormElement);
const frame = find("iframe", HTMLIFrameElement);
const status = find("[role=status]", HTMLElement);
const renderer = new URL(form.action).origin;

let renewal = new AbortController();
let isShown = false;

async function fetchToken(signal: AbortSignal): Promise<FreshToken> {
  const response = await fetch("/viewer-token", { method: "POST", signal });
  const answer = await response.json();
  if (response.ok) return answer;
  status.textContent = answer.message;
  throw Object.assign(new Error(answer.message), { status: response.status });
}

function showWith(token: string) {
  status.textContent = "";
  if (isShown) {
    frame.contentWindow?.postMessage({ viewerToken: token }, renderer);
    return;
  }
  isShown = true;
  const field = find("[name=viewer_token]", HTMLInputElement);
  field.value = token;
  form.submit();
  field.value = "";
}

function renew() {
  renewal.abort();
  renewal = new AbortController();
  const onError = (error: unknown) => console.error(error);
  keepFresh(fetchToken, showWith, { signal: renewal.signal, onError }).catch(onError);
}

// A token can end early, as after a rotation: the product decides whether its customer gets another.
window.addEventListener("message", ({ source, origin, data }) => {
  if (source === frame.contentWindow && origin === renderer && data?.viewerToken === "refused") renew();
});
renew();

function find<E extends Element>(selector: string, type: new () => E): E {
  const element = document.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${selector}.`);
}
