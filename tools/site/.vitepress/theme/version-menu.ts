import { useData } from "vitepress";
import { defineComponent, h, ref } from "vue";

/** The versions that are published next to this one. */
export const VersionMenu = defineComponent(function VersionMenu() {
  const { theme } = useData();
  const { version, place } = theme.value;
  const versions = ref<string[]>([version]);

  /** Later versions are in it too: so it is read when the menu opens. */
  async function onToggle({ target }: Event) {
    if (!(target as HTMLDetailsElement).open) return;
    const response = await fetch(`${place}versions.json`);
    if (response.ok) versions.value = await response.json();
  }

  function onFocusout({ currentTarget, relatedTarget }: FocusEvent) {
    const menu = currentTarget as HTMLDetailsElement;
    if (!menu.contains(relatedTarget as Node | null)) menu.open = false;
  }

  function onKeydown({ currentTarget, key }: KeyboardEvent) {
    if (key === "Escape") (currentTarget as HTMLDetailsElement).open = false;
  }

  const itemOf = (name: string) => {
    const current = name === version ? { "aria-current": "true" } : {};
    return h("li", { key: name }, h("a", { href: `${place}${name}/`, target: "_self", ...current }, name));
  };
  return () =>
    h("details", { class: "version-menu", onToggle, onFocusout, onKeydown }, [
      h("summary", `Version ${version}`),
      h("ul", versions.value.map(itemOf)),
    ]);
});
