import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useState } from "react";
import { Failure } from "@/components/failure";
import { toSignIn } from "@/components/members/next-page";
import { PasswordForm } from "@/components/members/password-form";
import { SecondFactorForm } from "@/components/members/second-factor-form";
import { Button } from "@/components/ui/button";
import { Dialog } from "@/components/ui/dialog";
import { leaveUnasked } from "@/components/ui/leave-guard";
import { signedIn } from "@/lib/members/queries";
import type { SessionAnswer } from "@/lib/members/schema";

interface SignInAgainProps {
  /** the member of the ended session */
  former: SessionAnswer["member"];
  onClose: () => void;
}

/** Signs in on top of the page, which keeps everything typed into it. */
export function SignInAgain({ former, onClose }: SignInAgainProps) {
  const client = useQueryClient();
  const [step, setStep] = useState<"password" | "second factor" | "elsewhere">("password");
  const [failure, setFailure] = useState<Error>();
  const goOn = useCallback(async () => {
    const now = (await signedIn())?.member;
    if (!now) return false;
    // Another member signed in, but the page shows the former member's input and data.
    if (now.id !== former.id) leaveUnasked(() => window.location.reload());
    else {
      onClose();
      void client.invalidateQueries();
    }
    return true;
  }, [client, former.id, onClose]);
  const goOnOrTell = () => {
    setFailure(undefined);
    goOn().then(
      (isIn) => isIn || setFailure(new Error("This browser is not signed in yet. Sign in first.")),
      setFailure,
    );
  };
  // The member may have signed in in another tab.
  useEffect(() => {
    const onFocus = () => void goOn().catch(() => undefined);
    window.addEventListener("focus", onFocus);
    return () => window.removeEventListener("focus", onFocus);
  }, [goOn]);
  return (
    <Dialog
      sticky
      onClose={onClose}
      title="Sign in again"
      description="Your session has ended. What you typed on this page is still here."
    >
      {failure && <Failure title="You are not signed in" error={failure} />}
      {step === "password" && (
        <PasswordForm
          email={former.email}
          onDone={(outcome) => (outcome === "signed in" ? goOnOrTell() : setStep("second factor"))}
          onElsewhere={() => setStep("elsewhere")}
        />
      )}
      {step === "second factor" && <SecondFactorForm onDone={goOnOrTell} onBack={() => setStep("password")} />}
      {step === "elsewhere" && (
        <>
          <p>Use the new tab to sign in, then come back to this one.</p>
          <div className="flex flex-wrap gap-2">
            <Button variant="primary" onClick={goOnOrTell}>
              Continue
            </Button>
            <Button onClick={() => setStep("password")}>Back</Button>
          </div>
        </>
      )}
      <Button variant="ghost" onClick={() => leaveUnasked(toSignIn)}>
        Leave this page
      </Button>
    </Dialog>
  );
}
