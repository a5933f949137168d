import { useQuery } from "@tanstack/react-query";
import { Ellipsis, KeyRound, Link2, Trash2, UserRoundCheck, UserRoundCog, UserRoundX } from "lucide-react";
import { useState } from "react";
import { ActionDialog, ConfirmDialog } from "@/components/confirm-dialog";
import { Failure } from "@/components/failure";
import { issueOf } from "@/components/form-issues";
import { LinkedAccountList } from "@/components/members/linked-account-list";
import {
  ChangeRole,
  DisableMember,
  EnableMember,
  type MemberDialogProps,
  RemoveMember,
  ResetPassword,
} from "@/components/members/member-dialogs";
import { Button } from "@/components/ui/button";
import { DialogActions } from "@/components/ui/dialog";
import { Menu, MenuItems, MenuSeparator } from "@/components/ui/menu";
import { TextField } from "@/components/ui/text-field";
import { useAction } from "@/components/use-action";
import {
  askToLinkAccount,
  askToLookUpAccount,
  askToUnlinkAccount,
  membersKey,
  membersQuery,
  signInOptionsQuery,
} from "@/lib/members/queries";
import type { FoundAccount, LinkedAccount, MemberSummary } from "@/lib/members/schema";

const DIALOGS = {
  role: ChangeRole,
  disable: DisableMember,
  enable: EnableMember,
  password: ResetPassword,
  link: LinkAccount,
  unlink: UnlinkAccounts,
  remove: RemoveMember,
};

export function MemberMenu({ member }: { member: MemberSummary }) {
  const [open, setOpen] = useState<keyof typeof DIALOGS>();
  const Open = open && DIALOGS[open];
  const { data: options } = useQuery(signInOptionsQuery);
  const isDisabled = member.state === "disabled";
  const isLinked = member.accounts.length > 0;
  const hasSignOn = isLinked || Boolean(options?.oidc);
  return (
    <>
      <Menu
        align="end"
        button={{ icon: Ellipsis, variant: "ghost", size: "row", "aria-label": `Actions for ${member.name}` }}
      >
        <MenuItems
          items={[
            { label: "Change role…", icon: UserRoundCog, run: () => setOpen("role") },
            isDisabled && { label: "Enable…", icon: UserRoundCheck, run: () => setOpen("enable") },
            !isDisabled && { label: "Reset password…", icon: KeyRound, run: () => setOpen("password") },
            !isDisabled && { label: "Disable…", icon: UserRoundX, run: () => setOpen("disable") },
            hasSignOn && { label: "Single sign-on…", icon: Link2, run: () => setOpen(isLinked ? "unlink" : "link") },
          ]}
        />
        <MenuSeparator />
        <MenuItems items={[{ label: "Remove…", icon: Trash2, danger: true, run: () => setOpen("remove") }]} />
      </Menu>
      {Open && <Open member={member} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** Lists the accounts at the provider that sign in as a member, and unlinks them. */
function UnlinkAccounts({ member, onClose }: MemberDialogProps) {
  const { data: options } = useQuery(signInOptionsQuery);
  const provider = options?.oidc?.name ?? "the provider";
  const unlinking = useAction({
    act: ({ id }: LinkedAccount) => askToUnlinkAccount(member.id, id),
    wasDone: async (account, read) => {
      const { members } = await read(membersQuery);
      return !members.some(({ accounts }) => accounts.some(({ id }) => id === account.id));
    },
    failed: "Nothing was unlinked",
    done: () => ({ title: `An account of ${member.name} was unlinked` }),
    onClose: () => member.accounts.length === 1 && onClose(),
    reads: [membersKey],
  });
  return (
    <ActionDialog
      environment={null}
      action={unlinking}
      onClose={onClose}
      title={`Single sign-on of ${member.name}`}
      description={`These accounts at ${provider} sign in as ${member.name}. Unlinking one ends the member's sessions. The next account there with the verified email ${member.email} takes its place: disable the member to prevent that.`}
    >
      <LinkedAccountList
        accounts={member.accounts}
        action={(account) => (
          <Button
            variant="danger"
            aria-label={`Unlink ${account.subject}`}
            disabled={unlinking.state !== "ready"}
            onClick={() => unlinking.run(account)}
          >
            {unlinking.state === "ready" ? "Unlink" : "Unlinking…"}
          </Button>
        )}
      />
      {unlinking.error && <Failure title={unlinking.failed} error={unlinking.error} />}
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </ActionDialog>
  );
}

/**
 * Links a member to the provider account of a refused sign-in, once the owner has seen which account it is.
 */
function LinkAccount({ member, onClose }: MemberDialogProps) {
  const { data: options } = useQuery(signInOptionsQuery);
  const provider = options?.oidc?.name ?? "the provider";
  const finding = useAction({
    act: async (fields: FormData) => {
      const code = String(fields.get("code"));
      return { code, account: await askToLookUpAccount(member.id, code) };
    },
    failed: "The code could not be looked up",
  });
  const found = finding.answer;
  const linking = useAction({
    act: async (_: FormData) => found && askToLinkAccount(member.id, found.code),
    wasDone: async (_, read) => {
      const { members } = await read(membersQuery);
      return members.some(({ id, accounts }) => id === member.id && accounts.length > 0);
    },
    failed: "Nothing was linked",
    done: () => ({ title: `${member.name} can sign in with ${provider}` }),
    onClose,
    reads: [membersKey],
  });
  return (
    <ConfirmDialog
      environment={null}
      action={found ? linking : finding}
      fields={found ? [] : ["code"]}
      title={`Single sign-on of ${member.name}`}
      description={`The first sign-in with ${provider} links the account if ${provider} has verified ${member.email}. Otherwise it shows a code.`}
      verb={found ? "Link account" : "Continue"}
      onClose={onClose}
    >
      {found ? (
        <FoundAccountText account={found.account} provider={provider} name={member.name} />
      ) : (
        <TextField
          label="Code"
          hint="Get it from the member in person. Anyone with the account that showed it will be able to sign in as them."
          error={issueOf(finding.error, "code")}
          name="code"
          autoComplete="off"
          className="font-mono uppercase"
        />
      )}
    </ConfirmDialog>
  );
}

const takeFocus = (node: HTMLElement | null) => node?.focus();

/** What the provider says about an account. Takes the focus from the form that it replaces. */
function FoundAccountText({ account, provider, name }: { account: FoundAccount; provider: string; name: string }) {
  const { email, verified, subject } = account;
  return (
    <div ref={takeFocus} tabIndex={-1} className="flex flex-col gap-2">
      {email === null ? (
        <p>{provider} sent no email for this account.</p>
      ) : (
        <p>
          The account’s email is <strong className="break-all">{email}</strong>,{" "}
          {verified ? `verified by ${provider}` : `not verified by ${provider}`}.
        </p>
      )}
      <p>
        Its ID there is <code className="break-all font-mono text-xs">{subject}</code>.
      </p>
      <p>Once linked, it signs in as {name}.</p>
    </div>
  );
}
