import { useQuery } from "@tanstack/react-query";
import { ChevronsUpDown } from "lucide-react";
import { usePathname, useRouter } from "next/navigation";
import { EnvironmentMark } from "@/components/environments/environment-mark";
import { leave } from "@/components/leave-guard";
import { PAGES } from "@/components/shell/navigation";
import { Menu, MenuChoice } from "@/components/ui/menu";
import { Skeleton } from "@/components/ui/skeleton";
import { useEnvironment, useEnvironmentSlug } from "@/components/use-environment";
import { sessionQuery } from "@/lib/members/queries";

export function EnvironmentSwitcher() {
  const slug = useEnvironmentSlug();
  const environment = useEnvironment();
  const { data } = useQuery(sessionQuery);
  const router = useRouter();
  const pathname = usePathname();
  if (!environment) return <Skeleton className="h-5 w-36 max-sm:w-30" />;
  const options = data?.environments.map((one) => ({ value: one.slug, label: <EnvironmentMark environment={one} /> }));
  return (
    <Menu
      button={{
        variant: "ghost",
        className: "min-w-0 shrink! text-text max-sm:px-1",
        children: (
          <>
            <span className="sr-only">Environment: </span>
            <EnvironmentMark environment={environment} isShort />
            <ChevronsUpDown aria-hidden className="text-text-muted max-sm:hidden" />
          </>
        ),
      }}
    >
      <MenuChoice
        label="Environment"
        value={slug}
        onChange={(chosen) => leave(() => router.push(pagesIn(chosen, pathname)))}
        options={options ?? []}
      />
    </Menu>
  );
}

/** The same page in another environment, or the list if it has no such page. */
function pagesIn(slug: string, pathname: string): string {
  const [, , ...rest] = pathname.split("/");
  const path = rest[0] === "settings" ? rest.slice(0, 2).join("/") : rest[0];
  return `/${slug}/${PAGES.find((page) => page.path === path)?.path ?? "groups"}`;
}
