import { createPortal } from "react-dom";
import { PageLink } from "@/components/page-link";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useInBrowser } from "@/components/use-in-browser";

interface TrailProps {
  /** the page's name */
  here: string;
  /** the page above it */
  parent?: { href: string; label: string };
}

interface BreadcrumbProps extends TrailProps {
  /** the page is below the list of groups */
  inGroups?: boolean;
}

/** The trail of a page below the navigation's; shown in the header, which knows only those. */
export function Breadcrumb({ here, inGroups = false, parent }: BreadcrumbProps) {
  const groups = { href: `/${useEnvironmentSlug()}/groups`, label: "Groups" };
  const above = inGroups ? groups : parent;
  const place = useInBrowser() ? document.getElementById("crumbs") : null;
  return place && createPortal(<Trail here={here} {...(above && { parent: above })} />, place);
}

export function Trail({ here, parent }: TrailProps) {
  return (
    <nav aria-label="Breadcrumb" className="min-w-0 animate-appear max-sm:hidden">
      <ol className="flex min-w-0 items-center gap-2">
        {parent && (
          <li className="flex shrink-0 items-center gap-2">
            <Slash />
            <PageLink
              href={parent.href}
              className="-mx-1.5 rounded-md px-1.5 text-text-secondary leading-7 hover:bg-hover hover:text-text"
            >
              {parent.label}
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
    </nav>
  );
}

function Slash() {
  return (
    <span aria-hidden className="text-text-muted">
      /
    </span>
  );
}
