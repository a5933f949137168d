import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { openPalette } from "@/components/open-palette";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { Button, buttonLook } from "@/components/ui/button";
import { useEnvironmentSlug } from "@/components/use-environment";

/** 404 in the shell: the reason, and where to go. */
export function NotFound({ children }: { children: ReactNode }) {
  const slug = useEnvironmentSlug();
  return (
    <div className="mx-auto flex max-w-lg flex-col items-center gap-3 py-16 text-center">
      <p aria-hidden className="font-mono text-text-muted text-xs">
        404
      </p>
      <PageHeader title="Page not found" />
      <p className="break-words text-text-secondary">{children}</p>
      <div className="flex flex-wrap justify-center gap-2 pt-2">
        <Button icon={Search} variant="primary" onClick={() => openPalette()}>
          Search groups and pages
        </Button>
        <PageLink href={`/${slug}/groups`} className={buttonLook()}>
          Go to the groups
        </PageLink>
      </div>
    </div>
  );
}
