import { useQueryClient } from "@tanstack/react-query";
import { ArrowLeftRight, LogOut } from "lucide-react";
import { withFailureToast } from "@/components/failure";
import { leaveSignedOut } from "@/components/members/next-page";
import { settle } from "@/components/settle";
import { leave } from "@/components/ui/leave-guard";
import { signedIn, signOut } from "@/lib/members/queries";

/** The actions of both the account menu and the palette. */
export function useAccountActions() {
  const client = useQueryClient();
  const failed = "You are still signed in";
  const quit = () =>
    withFailureToast(failed, async () => {
      await settle({ act: signOut, wasDone: async () => (await signedIn()) === null, failed });
      leaveSignedOut();
      client.clear();
    });
  return [
    { label: "Switch account…", icon: ArrowLeftRight, run: () => leave(switchAccount) },
    { label: "Sign out", words: "log out exit", icon: LogOut, run: () => leave(() => void quit()) },
  ];
}

function switchAccount() {
  const { pathname, search } = window.location;
  window.location.assign(`/sign-in?switch&next=${encodeURIComponent(pathname + search)}`);
}
