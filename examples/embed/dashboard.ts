// Runs in a frame: draws the sales, again every two seconds, and takes the new tokens of the page around it.
interface Sale {
  month: string;
  amount: number;
}

const REFRESH_MS = 2_000;
const [WIDTH, HEIGHT, BAR] = [600, 240, 50];
const SVG = "http://www.w3.org/2000/svg";

const main = document.querySelector("main");
const form = document.querySelector("form");
let token = document.body.dataset.viewerToken;
let refused: string | undefined;
let hasEnded = false;
document.body.style.font = "14px system-ui, sans-serif";

// Only the page that may embed this one can be its parent: frame-ancestors sees to that.
window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent) return;
  if (data?.type === "user-groups:ended") hasEnded = true;
  if (data?.type !== "user-groups:token") return;
  if (token === undefined) open(data.viewer_token);
  else token = data.viewer_token;
});
window.parent.postMessage({ type: "user-groups:ready" }, "*");

/** Loads the page again with its token, whose origins the browser then enforces. */
function open(first: string) {
  const field = form?.elements.namedItem("viewer_token");
  if (!(field instanceof HTMLInputElement)) return;
  field.value = first;
  form?.submit();
}

async function refresh() {
  if (hasEnded || (token && token === refused)) return main?.replaceChildren("This view has ended.");
  if (!token) return;
  const asked = token;
  const response = await fetch("/sales", { headers: { Authorization: `Bearer ${asked}` } });
  if (response.status === 401) {
    // The page has until the next refresh to send another token.
    refused = asked;
    window.parent.postMessage({ type: "user-groups:refused", viewer_token: asked }, "*");
  } else if (response.ok) {
    const { title, sales } = await response.json();
    main?.replaceChildren(title, chartOf(title, sales));
  }
}

/** A bar for each month. */
function chartOf(title: string, sales: Sale[]): SVGElement {
  const highest = Math.max(...sales.map(({ amount }) => amount), 1);
  const bars = sales.map(({ month, amount }, at) => {
    const height = (HEIGHT * amount) / highest;
    const bar = { x: at * BAR, y: HEIGHT - height, width: BAR - 8, height, fill: "#4f46e5" };
    return element("rect", bar, element("title", {}, `${month}: ${amount}`));
  });
  return element("svg", { role: "img", "aria-label": title, viewBox: `0 0 ${WIDTH} ${HEIGHT}` }, ...bars);
}

function element(name: string, attributes: Record<string, string | number>, ...content: (Node | string)[]): SVGElement {
  const made = document.createElementNS(SVG, name) as SVGElement;
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, String(value));
  made.append(...content);
  return made;
}

async function keepRefreshing() {
  for (;;) {
    // What is shown stays while the renderer cannot be reached.
    await refresh().catch((error: unknown) => console.error(error));
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
  }
}

void keepRefreshing();
