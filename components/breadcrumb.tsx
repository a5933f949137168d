"use client";

import { createPortal } from "react-dom";
import { PageLink } from "@/components/page-link";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useInBrowser } from "@/components/use-in-browser";

interface BreadcrumbProps {
  /** the page's name */
  here: string;
  /** it is below the list of groups */
  inGroups?: boolean;
  /** or below another page */
  parent?: { href: string; label: string };
}

/**
 * Where the page is, in the header after its environment. It is not part of the header, so that only pages that need it
 * load it.
 */
export function Breadcrumb({ here, inGroups = false, parent }: BreadcrumbProps) {
  const groups = { href: `/${useEnvironmentSlug()}/groups`, label: "Groups" };
  const above = inGroups ? groups : parent;
  const place = useInBrowser() ? document.getElementById("crumbs") : null;
  if (!place) return null;
  return createPortal(
    <nav aria-label="Breadcrumb" className="min-w-0 animate-appear max-sm:hidden">
      <ol className="flex min-w-0 items-center gap-2">
        {above && (
          <li className="flex shrink-0 items-center gap-2">
            <Slash />
            <PageLink
              href={above.href}
              className="-mx-1.5 flex h-7 items-center rounded-md px-1.5 text-text-secondary hover:bg-hover hover:text-text"
            >
              {above.label}
            </PageLink>
          </li>
        )}
        <li className="flex min-w-0 items-center gap-2">
          <Slash />
          <span aria-current="page" title={here} className="max-w-64 truncate font-medium">
            {here}
          </span>
        </li>
      </ol>
    </nav>,
    place,
  );
}

function Slash() {
  return (
    <span aria-hidden className="text-text-muted">
      /
    </span>
  );
}
