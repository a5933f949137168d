"use client";

import Link from "next/link";
import { useRouter } from "next/navigation";
import type { ComponentProps } from "react";

interface PageLinkProps extends Omit<ComponentProps<typeof Link>, "href" | "prefetch"> {
  href: string;
}

/**
 * A link to another page of the dashboard. That page is fetched once somebody is about to go there, not as soon as the
 * link shows: all links of a page would be fetched while it waits for its own data.
 */
export function PageLink({ href, ...props }: PageLinkProps) {
  const router = useRouter();
  const prepare = () => router.prefetch(href);
  return <Link href={href} prefetch={false} onPointerEnter={prepare} onFocus={prepare} {...props} />;
}
