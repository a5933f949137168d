// Runs in the product's page: shows the dashboard, and keeps its viewer token fresh.
import { mountEmbed } from "@user-groups/client";

const main = find("main", HTMLElement);
const status = find("[role=status]", HTMLElement);

const { ended } = mountEmbed(main, {
  src: `${main.dataset.renderer}/dashboard`,
  async fetchToken(signal) {
    const response = await fetch("/viewer-token", { method: "POST", signal });
    if (!response.ok) throw response;
    return response.json();
  },
  onError: (error) => console.error(error),
});
const reason = await ended;
status.textContent = reason === "signed_out" ? "Sign in again." : "Your access has ended.";

function find<E extends Element>(selector: string, type: new () => E): E {
  const element = document.querySelector(selector);
  if (element instanceof type) return element;
  throw new Error(`The page has no ${selector}.`);
}
