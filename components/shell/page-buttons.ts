import { type PageAction, pageActions } from "@/components/page-actions";

/** Buttons of a row, of a form or of what is not shown are not the page's own. */
const OTHERS = "table, li, form, [inert], [role=alert]";

/** What can be done on the open page: what its menus offer, and its buttons and links. */
export function actionsOfPage(): PageAction[] {
  const actions = pageActions();
  for (const element of buttonsOfPage()) {
    const label = nameOf(element);
    // "Rotate…" next to a token is what a menu calls "Rotate token…".
    const [start] = label.split("…");
    const isKnown = actions.some(
      (one) => one.label === label || (start !== label && one.label.startsWith(`${start} `)),
    );
    if (label === "" || isKnown || !isOffered(element)) continue;
    actions.push({ label, run: () => press(element) });
  }
  return actions;
}

/** How long a page may take to come, in milliseconds. */
const PATIENCE_MS = 10_000;

/** Presses a button of a page that is on its way. */
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
  // A menu of several things is offered by its parts (usePageActions).
  const isMore = element.ariaHasPopup === "menu" && nameOf(element).startsWith("More");
  return !isMore && !element.matches(":disabled, p *") && !element.closest(OTHERS) && element.checkVisibility();
}

/** As a press by keyboard, once the palette has given the focus back. */
function press(element: HTMLElement) {
  setTimeout(() => {
    element.focus();
    element.click();
  });
}

function nameOf(element: Element): string {
  return (element.ariaLabel ?? wordsOf(element)).replace(/\s+/g, " ").trim();
}

/** The text of a node; parts are words of their own. */
function wordsOf(node: Node): string {
  if (node instanceof Text) return node.data;
  if (!(node instanceof Element) || node.ariaHidden === "true") return "";
  return ` ${[...node.childNodes].map(wordsOf).join("")} `;
}
