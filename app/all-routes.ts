import * as account from "@/app/api/admin/account/route";
import * as accountSession from "@/app/api/admin/account/sessions/[id]/route";
import * as signOutEverywhere from "@/app/api/admin/account/sign-out-everywhere/route";
import * as actors from "@/app/api/admin/activity/actors/route";
import * as madeByApiToken from "@/app/api/admin/api-tokens/[id]/made/route";
import * as apiTokenReplacement from "@/app/api/admin/api-tokens/[id]/replace/route";
import * as apiToken from "@/app/api/admin/api-tokens/[id]/route";
import * as apiTokens from "@/app/api/admin/api-tokens/route";
import * as environment from "@/app/api/admin/environments/[slug]/route";
import * as environments from "@/app/api/admin/environments/route";
import * as linkedAccount from "@/app/api/admin/members/[id]/accounts/[accountId]/route";
import * as foundAccount from "@/app/api/admin/members/[id]/accounts/look-up/route";
import * as linkedAccounts from "@/app/api/admin/members/[id]/accounts/route";
import * as madeByMember from "@/app/api/admin/members/[id]/made/route";
import * as passwordReset from "@/app/api/admin/members/[id]/reset-password/route";
import * as member from "@/app/api/admin/members/[id]/route";
import * as invite from "@/app/api/admin/members/invites/[id]/route";
import * as invites from "@/app/api/admin/members/invites/route";
import * as members from "@/app/api/admin/members/route";
import * as session from "@/app/api/admin/session/route";
import * as viewerKeyRevocation from "@/app/api/admin/viewer-keys/revoke/route";
import * as viewerKeyRotation from "@/app/api/admin/viewer-keys/rotate/route";
import * as viewerKeys from "@/app/api/admin/viewer-keys/route";
import * as auth from "@/app/api/auth/[...all]/route";
import * as linkAcceptance from "@/app/api/links/accept/route";
import * as linkLookUp from "@/app/api/links/look-up/route";
import * as signInOptions from "@/app/api/sign-in-options/route";
import { apiModules } from "@/app/api-routes";
import { routesOf } from "@/lib/endpoint/routes";

/** API and dashboard routes. The dashboard's import better-auth, which the API alone does not need. */
export const allRoutes = routesOf({
  ...apiModules,
  "/api/admin/account": account,
  "/api/admin/account/sessions/[id]": accountSession,
  "/api/admin/account/sign-out-everywhere": signOutEverywhere,
  "/api/admin/activity/actors": actors,
  "/api/admin/api-tokens": apiTokens,
  "/api/admin/api-tokens/[id]": apiToken,
  "/api/admin/api-tokens/[id]/made": madeByApiToken,
  "/api/admin/api-tokens/[id]/replace": apiTokenReplacement,
  "/api/admin/environments": environments,
  "/api/admin/environments/[slug]": environment,
  "/api/admin/members": members,
  "/api/admin/members/[id]": member,
  "/api/admin/members/[id]/accounts": linkedAccounts,
  "/api/admin/members/[id]/accounts/look-up": foundAccount,
  "/api/admin/members/[id]/accounts/[accountId]": linkedAccount,
  "/api/admin/members/[id]/made": madeByMember,
  "/api/admin/members/[id]/reset-password": passwordReset,
  "/api/admin/members/invites": invites,
  "/api/admin/members/invites/[id]": invite,
  "/api/admin/session": session,
  "/api/admin/viewer-keys": viewerKeys,
  "/api/admin/viewer-keys/revoke": viewerKeyRevocation,
  "/api/admin/viewer-keys/rotate": viewerKeyRotation,
  "/api/auth/[...all]": auth,
  "/api/links/accept": linkAcceptance,
  "/api/links/look-up": linkLookUp,
  "/api/sign-in-options": signInOptions,
});
