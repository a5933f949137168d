import { APIError, createAuthMiddleware, isAPIError } from "better-auth/api";
import { record } from "@/lib/audit/service";
import { prisma } from "@/lib/db/prisma";
import type { Author } from "@/lib/db/statements";
import { endChallenges } from "@/lib/members/service";

/** What the dashboard sends to start a single sign-on; better-auth takes more, some of it a way around our rules. */
const SINGLE_SIGN_ON = new Set(["provider", "callbackURL", "errorCallbackURL"]);

/** What becomes of a member through better-auth's own routes, as the history calls it. */
const ACTIONS = new Map([
  ["/change-password", "member.password_changed"],
  ["/two-factor/verify-totp", "member.two_factor_enabled"],
  ["/two-factor/disable", "member.two_factor_disabled"],
  ["/two-factor/generate-backup-codes", "member.backup_codes_made"],
]);

/** Refuses what better-auth would let a client ask for: to skip the second factor next time, to bring its own ID token. */
export const refuseShortcuts = createAuthMiddleware(async ({ path, body }) => {
  if (body?.trustDevice) throw new APIError("BAD_REQUEST", { message: "No device is trusted here: leave this out." });
  if (path !== "/sign-in/social") return;
  const extra = Object.keys(body ?? {}).find((name) => !SINGLE_SIGN_ON.has(name));
  if (extra) throw new APIError("BAD_REQUEST", { message: `${extra.slice(0, 100)} is not taken here.` });
});

/** Records what a signed-in member has changed through better-auth; it has no transaction of ours to be part of. */
export const recordAuthChange = createAuthMiddleware(async ({ path, headers, context }) => {
  const { session, returned } = context;
  const action = ACTIONS.get(path);
  if (!action || !session || isAPIError(returned)) return;
  const { id, name, twoFactorEnabled } = session.user;
  // Only the first code turns the second factor on; as it was asked for, it was still off.
  if (path === "/two-factor/verify-totp" && twoFactorEnabled) return;
  await prisma().$transaction(async (tx) => {
    // Whoever is half-way in with the old password stays out.
    if (path === "/change-password") await endChallenges(tx, id);
    await record(tx, authorOf({ id, name }, headers), { action, after: { id, name } });
  });
});

/** Records that a member can sign in through the provider from now on. */
export async function recordLinked(
  { userId, providerId }: { userId: string; providerId: string },
  context: { headers?: Headers | undefined } | null,
) {
  const member = await prisma().member.findUniqueOrThrow({ where: { id: userId }, select: { id: true, name: true } });
  await prisma().$transaction((tx) =>
    record(tx, authorOf(member, context?.headers), {
      action: "member.sign_in_linked",
      after: { ...member, provider: providerId },
    }),
  );
}

function authorOf({ id, name }: { id: string; name: string }, headers: Headers | undefined): Author {
  return { actorType: "member", actorId: id, actorName: name, requestId: headers?.get("x-request-id") ?? null };
}
