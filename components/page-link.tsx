import Link from "next/link";
import type { ComponentProps } from "react";

/**
 * A link to another page of the dashboard. It fetches nothing ahead: all links of a page would at once, while the page waits
 * for its own data.
 */
export function PageLink(props: Omit<ComponentProps<typeof Link>, "prefetch">) {
  return <Link prefetch={false} {...props} />;
}
