import { parseArgs } from "node:util";
import { OPERATOR, runCommand, table } from "@/lib/cli/command";
import { StartError } from "@/lib/errors";
import { invite, linkUrl, makeResetLink } from "@/lib/members/link";
import { invitation, memberEmail } from "@/lib/members/schema";
import { changeMember, listMembers, resetTwoFactor } from "@/lib/members/service";
import { linkBase } from "@/lib/process/running-address";

const USAGE = `Usage:
  ./user-groups member list
  ./user-groups member invite EMAIL --role owner|admin|viewer
  ./user-groups member reset-password EMAIL
  ./user-groups member reset-two-factor EMAIL
  ./user-groups member disable EMAIL
  ./user-groups member enable EMAIL
invite and reset-password print only a link for the person to open: it works once, for 7 days or for an hour.
The link begins with PUBLIC_URL, or else with the URL of the service running on this DATA_DIR.`;

/** Commands that take a member. */
const VERBS: Record<string, (email: string) => Promise<string>> = {
  "reset-password": async (email) => printLink(await makeResetLink({ email }, OPERATOR)),
  "reset-two-factor": async (email) => {
    await resetTwoFactor({ email }, OPERATOR);
    return `${email} now signs in without a second factor, and can set up a new one.\n`;
  },
  disable: async (email) => {
    await changeMember({ email }, { disabled: true }, OPERATOR);
    return `${email} is disabled and signed out.\n`;
  },
  enable: async (email) => {
    await changeMember({ email }, { disabled: false }, OPERATOR);
    return `${email} can sign in again.\n`;
  },
};

await runCommand({
  usage: USAGE,
  parse() {
    const { values, positionals } = parseArgs({ allowPositionals: true, options: { role: { type: "string" } } });
    const [verb = "", ...operands] = positionals;
    const run = VERBS[verb];
    if (!run && verb !== "list" && verb !== "invite") {
      throw new StartError(verb ? `Unknown command "${verb}".` : "Give a command.");
    }
    if (values.role !== undefined && verb !== "invite") throw new StartError("--role is only for invite.");
    const given = verb === "list" ? undefined : operands.shift();
    if (operands.length > 0) throw new StartError(`Unexpected argument "${operands[0]}".`);
    if (verb === "list") return list;
    const email = memberEmail.safeParse(given);
    if (!email.success) throw new StartError("Give the member's EMAIL.");
    if (run) return () => run(email.data);
    const fields = invitation.safeParse({ email: email.data, role: values.role });
    if (!fields.success) throw new StartError("Give a --role: owner, admin or viewer.");
    return async () => printLink(await invite(fields.data, OPERATOR));
  },
});

/** Prints only the link to stdout, and notes about it to stderr. */
async function printLink(token: string): Promise<string> {
  const { url, note } = await linkBase();
  if (note) process.stderr.write(`${note}\n`);
  return `${linkUrl(url, token)}\n`;
}

async function list(): Promise<string> {
  return table([
    ["EMAIL", "NAME", "ROLE", "SECOND FACTOR", "LAST SEEN", "STATE"],
    ...(await listMembers()).map(({ email, name, role, twoFactorEnabled, sessions, disabledAt }) => [
      email,
      name,
      role,
      twoFactorEnabled ? "on" : "off",
      sessions[0]?.updatedAt.toISOString().slice(0, 10) ?? "-",
      disabledAt ? "disabled" : "active",
    ]),
  ]);
}
