import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { authFault } from "@/components/members/auth-fault";
import { submitted } from "@/components/submitted";
import { Button } from "@/components/ui/button";
import { TextField } from "@/components/ui/text-field";
import { useInBrowser } from "@/components/use-in-browser";
import { verifySecondFactor } from "@/lib/members/queries";

/** Asks for an authenticator code or a backup code. */
export function SecondFactorForm({ onDone, onBack }: { onDone: () => void; onBack: () => void }) {
  const [kind, setKind] = useState<"totp" | "backup-code">("totp");
  const verify = useMutation({
    gcTime: 0,
    mutationFn: (code: string) => verifySecondFactor(kind, code),
    onSuccess: onDone,
  });
  const submit = submitted((fields) => verify.mutate(String(fields.get("code")).replaceAll(/\s/g, "")));
  // Submitting before hydration would put the code into the URL.
  const isInBrowser = useInBrowser();
  const other = kind === "totp" ? "backup-code" : "totp";
  return (
    <form key={kind} method="post" onSubmit={submit} className="flex flex-col gap-4">
      <TextField
        label={kind === "totp" ? "Code" : "Backup code"}
        hint={
          kind === "totp"
            ? "The six digits your authenticator shows now."
            : "One of the codes you saved when you turned on the second factor. Each works once."
        }
        error={verify.error ? authFault(verify.error) : undefined}
        name="code"
        autoFocus
        required
        autoComplete="one-time-code"
        inputMode={kind === "totp" ? "numeric" : "text"}
        className="font-mono"
      />
      <Button type="submit" variant="primary" disabled={!isInBrowser || verify.isPending}>
        Verify
      </Button>
      <div className="flex flex-wrap justify-between gap-2">
        <Button variant="ghost" onClick={onBack}>
          Back
        </Button>
        <Button
          variant="ghost"
          onClick={() => {
            verify.reset();
            setKind(other);
          }}
        >
          {kind === "totp" ? "Use a backup code" : "Use the authenticator"}
        </Button>
      </div>
    </form>
  );
}
