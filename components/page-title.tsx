/** The page's name in the tab and the browser history. */
export function PageTitle({ screen, environment }: { screen: string; environment?: string | undefined }) {
  return <title>{[screen, environment, "User groups"].filter(Boolean).join(" · ")}</title>;
}
