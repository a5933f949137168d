// Runs in the product's page: shows each renderer's dashboard, and keeps its token fresh.
import { mountEmbed } from "@user-groups/client";

for (const view of document.querySelectorAll("section")) void show(view);

async function show(view: HTMLElement) {
  const name = view.ariaLabel ?? "";
  const { ended } = mountEmbed(view, {
    src: `${view.dataset.renderer}/dashboard`,
    title: name,
    async fetchToken(signal) {
      const response = await fetch(`/viewer-token?view=${name}`, { method: "POST", signal });
      if (!response.ok) throw response;
      return response.json();
    },
    onError: (error) => console.error(error),
  });
  const text = (await ended) === "signed_out" ? "Sign in again." : "Your access has ended.";
  view.querySelector("[role=status]")?.replaceChildren(text);
}
