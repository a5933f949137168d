import { type PageAction, pageActions } from "@/components/page-actions";

/** Buttons inside these are not page actions: rows, forms, hidden or failed parts. */
const OTHERS = "table, li, form, [inert], [role=alert]";

/** The open page's actions: those of its menus, and its buttons and links. */
export function actionsOfPage(): PageAction[] {
  const actions = pageActions();
  for (const element of buttonsOfPage()) {
    const label = nameOf(element);
    // A token's "Rotate…" button is the same as a menu's "Rotate token…".
    const [start] = label.split("…");
    const isKnown = actions.some(
      (one) => one.label === label || (start !== label && one.label.startsWith(`${start} `)),
    );
    if (label === "" || isKnown || !isOffered(element)) continue;
    actions.push({ label, run: () => press(element) });
  }
  return actions;
}

/** How long to wait for a page, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Presses a button of a page that is still loading. */
export function pressOnceShown(label: string) {
  const end = performance.now() + PATIENCE_MS;
  const look = () => {
    const button = buttonsOfPage().find((one) => nameOf(one) === label && isOffered(one));
    if (button) press(button);
    else if (performance.now() < end) setTimeout(look, 50);
  };
  look();
}

const buttonsOfPage = () => [...document.querySelectorAll<HTMLElement>("main :is(button, a[href])")];

function isOffered(element: HTMLElement): boolean {
  // A menu offers its items separately (usePageActions).
  const isMore = element.ariaHasPopup === "menu" && nameOf(element).startsWith("More");
  return !isMore && !element.matches(":disabled, p *") && !element.closest(OTHERS) && element.checkVisibility();
}

/** Focuses and clicks, as the keyboard does, once the palette has returned the focus. */
function press(element: HTMLElement) {
  setTimeout(() => {
    element.focus();
    element.click();
  });
}

function nameOf(element: Element): string {
  return (element.ariaLabel ?? wordsOf(element)).replace(/\s+/g, " ").trim();
}

/** The text of a node, with a space between its parts. */
function wordsOf(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element) || node.ariaHidden === "true") return "";
  return ` ${[...node.childNodes].map(wordsOf).join("")} `;
}
