/** What the tab and the browser's history call the page. */
export function PageTitle({ screen, environment }: { screen: string; environment?: string | undefined }) {
  return <title>{[screen, environment, "User groups"].filter(Boolean).join(" · ")}</title>;
}
