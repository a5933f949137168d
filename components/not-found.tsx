"use client";

import { Search } from "lucide-react";
import type { ReactNode } from "react";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { PageHeader } from "@/components/page-header";
import { PageLink } from "@/components/page-link";
import { openPalette } from "@/components/shell/shortcuts";
import { Button, buttonLook } from "@/components/ui/button";

/** 404 in the shell: the reason, and where to go. */
export function NotFound({ children }: { children: ReactNode }) {
  const slug = useEnvironmentSlug();
  return (
    <>
      <PageHeader title="Page not found" />
      <div className="flex max-w-2xl flex-col gap-4">
        <p className="break-words text-text-muted">{children}</p>
        <div className="flex flex-wrap gap-2">
          <Button variant="primary" onClick={openPalette}>
            <Search aria-hidden />
            Search groups and pages
          </Button>
          <PageLink href={`/${slug}/groups`} className={buttonLook()}>
            Go to the list
          </PageLink>
        </div>
      </div>
    </>
  );
}
