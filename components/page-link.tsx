import Link from "next/link";
import type { ComponentProps } from "react";

/** A link without prefetching: otherwise all links prefetch at once while the page waits for its own data. */
export function PageLink(props: Omit<ComponentProps<typeof Link>, "prefetch">) {
  return <Link prefetch={false} {...props} />;
}
