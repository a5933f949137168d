import { useMutation } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { CopyButton } from "@/components/copy-button";
import { AskPassword } from "@/components/members/ask-password";
import { authFault } from "@/components/members/auth-fault";
import { BackupCodes } from "@/components/members/backup-codes";
import { QrCode } from "@/components/members/qr-code";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { Field } from "@/components/ui/field";
import { Input } from "@/components/ui/input";
import { toast } from "@/components/ui/toast";
import { useAction } from "@/components/use-action";
import { beginTwoFactor } from "@/lib/members/account-queries";
import { verifySecondFactor } from "@/lib/members/queries";

const STEPS = ["scan", "keep", "verify"] as const;
const TITLES = {
  scan: "1 of 3: Add it to your app",
  keep: "2 of 3: Save the backup codes",
  verify: "3 of 3: Enter a code",
} as const;
const WORDS = {
  scan: "Scan this with an authenticator app on your phone, or type the key into it.",
  keep: "Each lets you in once if you lose your phone. They are shown only once: save them somewhere else.",
  verify: "Enter a code from your app to turn it on.",
} as const;

interface SetUpTwoFactorProps {
  onClose: () => void;
  /** called once it is on */
  onDone: () => Promise<void>;
}

/** Turns on the second factor: password, app, backup codes, first code. */
export function SetUpTwoFactor({ onClose, onDone }: SetUpTwoFactorProps) {
  const beginning = useAction({
    act: beginTwoFactor,
    // It is off until a code is verified, and starting over creates another key.
    wasDone: async () => false,
    undone: "No key was received. Try again.",
    failed: "The second factor is still off",
  });
  const [step, setStep] = useState<(typeof STEPS)[number]>("scan");
  if (!beginning.answer) {
    return (
      <AskPassword
        title="Turn on second factor"
        description="You also need an app that shows codes, such as Aegis, 2FAS, Google Authenticator or a password manager."
        verb="Continue"
        doing="Creating a key…"
        action={beginning}
        onClose={onClose}
      />
    );
  }
  const { totpURI, backupCodes } = beginning.answer;
  const back = STEPS[STEPS.indexOf(step) - 1];
  const next = STEPS[STEPS.indexOf(step) + 1];
  return (
    <Dialog
      onClose={onClose}
      title={TITLES[step]}
      description={WORDS[step]}
      loses="The second factor is not on yet. This key and these backup codes will not work, and you start over."
    >
      {step === "scan" && <Scan uri={totpURI} />}
      {step === "keep" && <BackupCodes codes={backupCodes} />}
      {step === "verify" && <Verify onBack={() => setStep("scan")} onVerified={finish} />}
      {next && (
        <DialogActions>
          {back ? <Button onClick={() => setStep(back)}>Back</Button> : <Button onClick={onClose}>Cancel</Button>}
          <Button variant="primary" onClick={() => setStep(next)}>
            {step === "keep" ? "I have saved them" : "Next"}
          </Button>
        </DialogActions>
      )}
    </Dialog>
  );

  function finish() {
    toast({ title: "The second factor is on" });
    onClose();
    return onDone();
  }
}

function Scan({ uri }: { uri: string }) {
  const key = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <>
      <div className="flex justify-center">
        <QrCode text={uri} label="QR code of the key" />
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">Key</p>
        <div className="flex items-center gap-1 rounded-md border border-border bg-sunken py-1 pr-1 pl-2">
          <code className="min-w-0 flex-1 break-all font-mono text-xs">{key}</code>
          <CopyButton what="key" text={key} />
        </div>
      </div>
    </>
  );
}

function Verify({ onBack, onVerified }: { onBack: () => void; onVerified: () => Promise<void> }) {
  const verifying = useMutation({
    mutationFn: (code: string) => verifySecondFactor("totp", code),
    onSuccess: onVerified,
  });
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    verifying.mutate(String(new FormData(event.currentTarget).get("code")).replaceAll(/\s/g, ""));
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <Field
        label="Code"
        hint="The six digits your app shows now."
        error={verifying.error ? authFault(verifying.error) : undefined}
      >
        {(control) => (
          <Input
            {...control}
            name="code"
            required
            autoFocus
            autoComplete="one-time-code"
            inputMode="numeric"
            className="font-mono"
          />
        )}
      </Field>
      <DialogActions>
        <Button onClick={onBack}>Back to the key</Button>
        <Button type="submit" variant="primary" disabled={verifying.isPending}>
          Turn on
        </Button>
      </DialogActions>
    </form>
  );
}
