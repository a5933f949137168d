import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { toSignIn } from "@/components/members/next-page";
import { onDemand } from "@/components/ui/on-demand";
import { SESSION_ENDED } from "@/lib/browser/api-client";
import { sessionQuery } from "@/lib/members/queries";
import type { SessionAnswer } from "@/lib/members/schema";

const dialog = onDemand(() => import("@/components/members/sign-in-again"));
const SignInAgain = dialog.part("SignInAgain");

/** A session can end while a page is open: the member signs in again on the same page. */
export function SessionEnd() {
  const client = useQueryClient();
  const [former, setFormer] = useState<SessionAnswer["member"]>();
  useEffect(() => {
    const ask = async () => {
      const known = client.getQueryData(sessionQuery.queryKey)?.member;
      // The page shows nothing yet, so nothing can be lost.
      if (!known) toSignIn();
      else if (await dialog.loadOrTell()) setFormer((one) => one ?? known);
    };
    const onEnd = () => void ask();
    window.addEventListener(SESSION_ENDED, onEnd);
    return () => window.removeEventListener(SESSION_ENDED, onEnd);
  }, [client]);
  return former && <SignInAgain former={former} onClose={() => setFormer(undefined)} />;
}
