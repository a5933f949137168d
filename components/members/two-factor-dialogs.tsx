import { useQuery } from "@tanstack/react-query";
import { type ComponentProps, useState } from "react";
import { encode } from "uqr";
import { ActionButtons } from "@/components/action-buttons";
import { CodeBlock } from "@/components/code-block";
import { ActionDialog } from "@/components/confirm-dialog";
import { authFault } from "@/components/members/auth-fault";
import { BackupCodes, textOf } from "@/components/members/backup-codes";
import { SecretDialog } from "@/components/secret-dialog";
import { SecretField } from "@/components/secret-input";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { Dialog, DialogActions } from "@/components/ui/dialog";
import { TextField } from "@/components/ui/text-field";
import { type Action, useAction } from "@/components/use-action";
import { ApiError } from "@/lib/browser/api-client";
import { accountQuery, beginTwoFactor, disableTwoFactor, makeBackupCodes } from "@/lib/members/account-queries";
import { membersKey, sessionQuery, verifySecondFactor } from "@/lib/members/queries";

interface DialogProps {
  onClose: () => void;
}

export function NewBackupCodes({ onClose }: DialogProps) {
  const making = useAction({
    act: makeBackupCodes,
    undone: "No codes were received, and the old ones may have stopped working. Try again.",
    failed: "No codes were created",
    secret: { made: "New backup codes were created", again: "create new ones" },
  });
  const codes = making.answer;
  if (codes) {
    return (
      <SecretDialog
        title="New backup codes"
        description="The old codes no longer work. These are shown only once: save them somewhere other than your phone."
        secret={textOf(codes).trim()}
        loses="The codes are shown only once, and the old ones no longer work. You have not copied or downloaded them."
        verb="I have saved them"
        onClose={onClose}
      >
        <BackupCodes codes={codes} />
      </SecretDialog>
    );
  }
  return (
    <AskPassword
      title="New backup codes"
      description="Your current codes stop working as soon as new ones are created."
      verb="Create new codes"
      withCode
      action={making}
      onClose={onClose}
    />
  );
}

export function TurnOffTwoFactor({ onClose }: DialogProps) {
  const turningOff = useAction({
    act: disableTwoFactor,
    wasDone: async (_, read) => !(await read(accountQuery)).twoFactor,
    failed: "The second factor is still on",
    done: () => ({ title: "The second factor is off" }),
    onClose,
    reads: [accountQuery.queryKey, membersKey],
  });
  return (
    <AskPassword
      title="Turn off the second factor?"
      description="Anyone with your password can then sign in. Your backup codes and the entry in your app stop working."
      verb="Turn off"
      danger
      withCode
      action={turningOff}
      onClose={onClose}
    />
  );
}

const STEPS = {
  scan: {
    title: "1 of 3: Add it to your app",
    words: "Scan this with an authenticator app on your phone, or type the key into it.",
  },
  keep: {
    title: "2 of 3: Save the backup codes",
    words: "Each lets you in once if you lose your phone. They are shown only once: save them somewhere else.",
  },
  verify: { title: "3 of 3: Enter a code", words: "Enter a code from your app to turn it on." },
};

const LOSES =
  "The second factor is not on yet. If you leave, this key and these backup codes will not work, and you will have " +
  "to start over.";

/** Turns on the second factor: password, app, backup codes, first code. */
export function SetUpTwoFactor({ onClose }: DialogProps) {
  const beginning = useAction({
    act: beginTwoFactor,
    // Safe to repeat: the factor stays off until a code is verified, and starting over creates another key.
    failed: "The second factor is still off",
  });
  const [step, setStep] = useState<keyof typeof STEPS>("scan");
  // Here, as its answer may come after the reader has gone back to the key.
  const verifying = useAction({
    act: (code: string) => verifySecondFactor("totp", code),
    wasDone: async (_, read) => (await read(accountQuery)).twoFactor,
    failed: "The second factor is still off",
    done: () => ({ title: "The second factor is on" }),
    onClose,
    reads: [accountQuery.queryKey, membersKey],
  });
  if (!beginning.answer) {
    return (
      <AskPassword
        title="Turn on second factor"
        description="You also need an app that shows codes, such as Aegis, 2FAS, Google Authenticator or a password manager."
        verb="Continue"
        action={beginning}
        onClose={onClose}
      />
    );
  }
  const { totpURI, backupCodes } = beginning.answer;
  const { title, words } = STEPS[step];
  return (
    <Dialog onClose={onClose} title={title} description={words} loses={verifying.state === "ready" ? LOSES : undefined}>
      {step === "scan" && (
        <>
          <Scan uri={totpURI} />
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button variant="primary" data-first onClick={() => setStep("keep")}>
              Next
            </Button>
          </DialogActions>
        </>
      )}
      {step === "keep" && (
        <>
          <BackupCodes codes={backupCodes} />
          <DialogActions>
            <Button onClick={() => setStep("scan")}>Back</Button>
            <Button variant="primary" onClick={() => setStep("verify")}>
              I have saved them
            </Button>
          </DialogActions>
        </>
      )}
      {step === "verify" && <Verify verifying={verifying} onBack={() => setStep("scan")} />}
    </Dialog>
  );
}

function Scan({ uri }: { uri: string }) {
  const key = new URL(uri).searchParams.get("secret") ?? "";
  return (
    <>
      <div className="flex justify-center">
        <QrCode text={uri} />
      </div>
      <div className="flex flex-col gap-1.5">
        <p className="font-medium">Key</p>
        <CodeBlock what="key" text={key} isPlain />
      </div>
    </>
  );
}

function Verify({ verifying, onBack }: { verifying: Action<string>; onBack: () => void }) {
  const submit = submitted((fields) => verifying.run(String(fields.get("code")).replaceAll(/\s/g, "")));
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label="Code"
        hint="The six digits your app shows now."
        error={verifying.error ? authFault(verifying.error) : undefined}
        name="code"
        required
        autoFocus
        autoComplete="one-time-code"
        inputMode="numeric"
        className="font-mono"
      />
      <DialogActions>
        <Button onClick={onBack}>Back to the key</Button>
        <Button type="submit" variant="primary" disabled={verifying.state !== "ready"}>
          Turn on
        </Button>
      </DialogActions>
    </form>
  );
}

/** Dark on light in either theme, as some scanners read nothing else. */
function QrCode({ text }: { text: string }) {
  const { data, size } = encode(text, { border: 3 });
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ""))).join("");
  return (
    <svg
      role="img"
      aria-label="QR code of the key"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="size-48 rounded-md border border-border"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

interface AskPasswordProps extends Omit<ComponentProps<typeof ActionButtons>, "action"> {
  title: string;
  description: string;
  /** also asks for a second factor code */
  withCode?: boolean;
  action: Action<{ password: string; code?: string }>;
}

const CODE_FAULTS = ["INVALID_CODE", "INVALID_BACKUP_CODE"];

/** Asks for the password before sign-in settings change. */
function AskPassword(props: AskPasswordProps) {
  const { title, description, withCode = false, action, onClose, ...buttons } = props;
  const { run, error } = action;
  const { data: session } = useQuery(sessionQuery);
  const submit = submitted((fields) => {
    const code = String(fields.get("code") ?? "").replaceAll(/\s/g, "");
    run({ password: String(fields.get("password")), ...(withCode && { code }) });
  });
  const fault = error ? authFault(error) : undefined;
  const isOfCode = withCode && error instanceof ApiError && CODE_FAULTS.includes(error.code);
  return (
    <ActionDialog environment={null} action={action} onClose={onClose} title={title} description={description}>
      <form method="post" onSubmit={submit} className="flex flex-col gap-4">
        <input type="email" hidden readOnly autoComplete="username" value={session?.member.email ?? ""} />
        <SecretField
          label="Your password"
          error={isOfCode ? undefined : fault}
          name="password"
          autoComplete="current-password"
          required
        />
        {withCode && (
          <TextField
            label="Code"
            hint="From your authenticator, or a backup code."
            error={isOfCode ? fault : undefined}
            name="code"
            autoComplete="one-time-code"
            required
            className="font-mono"
          />
        )}
        <ActionButtons action={action} onClose={onClose} {...buttons} />
      </form>
    </ActionDialog>
  );
}
