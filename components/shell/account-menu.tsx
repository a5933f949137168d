"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeftRight, LogOut, UserRound } from "lucide-react";
import { useEnvironmentSlug } from "@/components/environments/use-environment";
import { toastFailure } from "@/components/failure";
import { leave } from "@/components/leave-guard";
import { PageLink } from "@/components/page-link";
import { settle } from "@/components/settle";
import { Menu, MenuItem, MenuLink, MenuNote, MenuSeparator } from "@/components/ui/menu";
import { sessionQuery, signedIn, signOut } from "@/lib/members/queries";

export function AccountMenu() {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(sessionQuery);
  const client = useQueryClient();
  const quit = async () => {
    try {
      const wasDone = async () => (await signedIn()) === null;
      await settle({ act: signOut, wasDone, undone: "You are still signed in. Try again." });
    } catch (error) {
      toastFailure("You are still signed in", error);
      return;
    }
    client.clear();
    window.location.assign("/sign-in");
  };
  const { name = "", email = "", role = "" } = data?.member ?? {};
  return (
    <Menu
      align="end"
      button={{
        variant: "ghost",
        size: "icon",
        className: "rounded-full",
        children: (
          <>
            <span
              aria-hidden
              className="flex size-7 items-center justify-center rounded-full bg-hover font-semibold text-[11px] text-text"
            >
              {initials(name)}
            </span>
            <span className="sr-only">Your account</span>
          </>
        ),
      }}
    >
      <MenuNote>
        <span className="block font-medium text-sm text-text">{name}</span>
        {name !== email && <span className="block break-all">{email}</span>}
        <span className="block capitalize">{role}</span>
      </MenuNote>
      <MenuSeparator />
      <MenuLink render={<PageLink href={`/${slug}/settings/account`} />}>
        <UserRound aria-hidden />
        Your account
      </MenuLink>
      <MenuItem onClick={() => leave(switchAccount)}>
        <ArrowLeftRight aria-hidden />
        Switch account…
      </MenuItem>
      <MenuItem onClick={quit}>
        <LogOut aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  );
}

function switchAccount() {
  const { pathname, search } = window.location;
  window.location.assign(`/sign-in?switch&next=${encodeURIComponent(pathname + search)}`);
}

function initials(name: string): string {
  const words = name.split(/[\s.@_-]+/).filter(Boolean);
  return [words[0], words.length > 1 ? words[1] : undefined]
    .map((word) => [...(word ?? "")][0] ?? "")
    .join("")
    .toUpperCase();
}
