import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeftRight, LogOut, UserRound } from "lucide-react";
import { withFailureToast } from "@/components/failure";
import { leave } from "@/components/leave-guard";
import { PageLink } from "@/components/page-link";
import { roleName } from "@/components/roles";
import { settle } from "@/components/settle";
import { Face } from "@/components/ui/face";
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from "@/components/ui/menu";
import { useEnvironmentSlug } from "@/components/use-environment";
import { sessionQuery, signedIn, signOut } from "@/lib/members/queries";

/** The account's menu, under a face; `isWide` adds the name. */
export function AccountMenu({ isWide = false }: { isWide?: boolean }) {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(sessionQuery);
  const client = useQueryClient();
  const quit = () =>
    withFailureToast("You are still signed in", async () => {
      const wasDone = async () => (await signedIn()) === null;
      await settle({ act: signOut, wasDone, undone: "You are still signed in. Try again." });
      client.clear();
      window.location.assign("/sign-in");
    });
  const { name = "", email = "", role } = data?.member ?? {};
  return (
    <Menu
      align={isWide ? "start" : "end"}
      button={{
        variant: "ghost",
        size: isWide ? "text" : "icon",
        className: isWide ? "w-full justify-start gap-2 px-2" : "rounded-full",
        children: (
          <>
            <Face name={name} />
            {isWide && (
              <span aria-hidden className="truncate">
                {name}
              </span>
            )}
            <span className="sr-only">Your account</span>
          </>
        ),
      }}
    >
      <MenuNote>
        <span className="block font-medium text-sm text-text">{name}</span>
        {name !== email && <span className="block break-all">{email}</span>}
        <span className="block">{roleName(role)}</span>
      </MenuNote>
      <MenuSeparator />
      <MenuLink icon={UserRound} render={<PageLink href={`/${slug}/settings/account`} />}>
        Your account
      </MenuLink>
      <MenuItem icon={ArrowLeftRight} onClick={() => leave(switchAccount)}>
        Switch account…
      </MenuItem>
      <MenuItem icon={LogOut} onClick={quit}>
        Sign out
      </MenuItem>
      {data && (
        <>
          <MenuSeparator />
          <MenuNote>
            Version {data.version}
            {data.commit && ` (${data.commit.slice(0, 7)})`}
          </MenuNote>
        </>
      )}
    </Menu>
  );
}

function switchAccount() {
  const { pathname, search } = window.location;
  window.location.assign(`/sign-in?switch&next=${encodeURIComponent(pathname + search)}`);
}
