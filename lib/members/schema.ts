import { z } from "zod";
import { idsToEnd, madeWebhooks } from "@/lib/api-tokens/schema";
import { MAX_PASSWORD, MIN_PASSWORD } from "@/lib/auth/password-length";
import { ROLES, type Role } from "@/lib/auth/role";
import type { OfferedEnvironment } from "@/lib/environments/schema";
import { answered } from "@/lib/json/answered";
import { rowNumber } from "@/lib/json/query-fields";
import { visibleName } from "@/lib/json/visible-text";

const role = z.enum(ROLES, `must be one of ${ROLES.join(", ")}`);

/** The answer of GET /api/admin/session. */
export interface SessionAnswer {
  member: { id: string; name: string; email: string; role: Role };
  environments: OfferedEnvironment[];
  /** how long deleted user groups can be restored */
  deletedGroupsKeptHours: number;
  version: string;
  commit: string | null;
}

const memberName = visibleName(255, "is required");
export const memberEmail = z
  .string("is required")
  .trim()
  .toLowerCase()
  .max(255, "must have at most 255 characters")
  .pipe(z.email("must be an email address"));
const password = z
  .string("is required")
  .min(MIN_PASSWORD, `must have at least ${MIN_PASSWORD} characters`)
  .max(MAX_PASSWORD, `must have at most ${MAX_PASSWORD} characters`);

const linkPurpose = z.enum(["setup", "invite", "reset_password"]);
export type LinkPurpose = z.infer<typeof linkPurpose>;

/** The body of POST /api/links/look-up: the token after the # of a one-time link. */
export const linkLookUp = z.strictObject({ token: z.string("is required").max(255, "is not a link's token") });

/** Its answer; null for values that a link of this purpose leaves open. */
export const linkAnswer = answered({
  link: z.strictObject({
    purpose: linkPurpose,
    email: z.string().nullable(),
    name: z.string().nullable(),
    role: role.nullable(),
  }),
});
export type Link = z.infer<typeof linkAnswer>["link"];

/** The fields on a link's page, by purpose. */
export const LINK_FIELDS = {
  setup: ["name", "email", "password"],
  invite: ["name", "password"],
  reset_password: ["password"],
} as const satisfies Record<LinkPurpose, readonly string[]>;

/** The body of POST /api/links/accept: the token, and the fields of its purpose. */
export const linkAcceptance = linkLookUp.extend({
  name: memberName.optional(),
  email: memberEmail.optional(),
  password,
});
export type LinkAcceptance = z.infer<typeof linkAcceptance>;

/** The form on a link's page, by purpose. */
export function linkForm(purpose: LinkPurpose) {
  const asked: readonly string[] = LINK_FIELDS[purpose];
  return z.object({
    name: asked.includes("name") ? memberName : memberName.optional(),
    email: asked.includes("email") ? memberEmail : memberEmail.optional(),
    password,
  });
}

/** The answer of GET /api/sign-in-options. */
export const signInOptionsAnswer = answered({
  /** text of the provider's button; null without a provider */
  oidc: z.strictObject({ name: z.string() }).nullable(),
  /** whether members exist: until then only the set-up link works */
  setUp: z.boolean(),
});
export type SignInOptions = Omit<z.infer<typeof signInOptionsAnswer>, "success">;

export const invitation = z.strictObject({ email: memberEmail, role });
export type Invitation = z.infer<typeof invitation>;

/** API tokens and webhooks that the member made, to end along with a change. */
const ended = { revokeApiTokens: idsToEnd, disableWebhooks: idsToEnd };

/** The body of PATCH /api/admin/members/[id]: one change at a time. */
const memberChanges = z.strictObject({
  role: role.optional(),
  disabled: z.boolean("must be true or false").optional(),
  ...ended,
});
export type MemberChange = z.infer<typeof memberChanges>;
export const memberChange = memberChanges
  .extend({ id: z.string() })
  .refine(({ role, disabled }) => (role === undefined) !== (disabled === undefined), "send either role or disabled");

export const memberId = z.strictObject({ id: z.string() });
export const memberRemoval = memberId.extend(ended);
export type MemberRemoval = z.infer<typeof memberRemoval>;

/** The answer of GET /api/admin/members/[id]/made: a member's API tokens, webhooks and links that still work. */
export const madeAnswer = answered({
  apiTokens: z.array(
    z.strictObject({
      id: z.number(),
      name: z.string(),
      /** slug */
      environment: z.string(),
      scopes: z.array(z.string()),
      lastUsedAt: z.iso.datetime().nullable(),
    }),
  ),
  webhooks: madeWebhooks,
  /** invitations and links for new passwords, which end with the role */
  links: z.array(
    z.strictObject({
      id: z.number(),
      purpose: z.enum(["invite", "reset_password"]),
      /** the recipient */
      email: z.string(),
      expiresAt: z.iso.datetime(),
    }),
  ),
});
export type MadeByMember = Omit<z.infer<typeof madeAnswer>, "success">;
export const inviteId = z.strictObject({ id: rowNumber });

/**
 * The body of POST /api/admin/members/[id]/accounts and …/look-up: the code that the member sees on the sign-in page.
 */
export const accountLinking = memberId.extend({
  code: z.string("is required").trim().min(1, "is required").max(40, "is too long"),
});

export const linkedAccountId = z.strictObject({ id: z.string(), accountId: z.string() });

/** An account at the single sign-on provider that a member can sign in with. */
const linkedAccount = z.strictObject({
  id: z.string(),
  /** the provider's `sub` */
  subject: z.string(),
  linkedAt: z.iso.datetime(),
});
export type LinkedAccount = z.infer<typeof linkedAccount>;

/** The answer of POST /api/admin/members/[id]/accounts/look-up: the account to which a code belongs. */
export const foundAccountAnswer = answered({
  account: z.strictObject({
    /** the provider's `sub` */
    subject: z.string(),
    /** as the provider sent it; null if it sent none */
    email: z.string().nullable(),
    /** whether the provider has verified the email */
    verified: z.boolean(),
  }),
});
export type FoundAccount = z.infer<typeof foundAccountAnswer>["account"];

/** The answer of POST /api/admin/members/[id]/accounts. */
export const linkedAccountAnswer = answered({ account: linkedAccount });

/** The answer of GET /api/admin/members. */
export const membersAnswer = answered({
  members: z.array(
    z.strictObject({
      id: z.string(),
      name: z.string(),
      email: z.string(),
      role,
      state: z.enum(["active", "disabled"]),
      twoFactor: z.boolean(),
      /** empty unless the caller is an owner */
      accounts: z.array(linkedAccount),
      createdAt: z.iso.datetime(),
      lastSeenAt: z.iso.datetime().nullable(),
    }),
  ),
  invites: z.array(
    z.strictObject({
      id: z.number(),
      email: z.string(),
      role,
      createdBy: z.string(),
      createdAt: z.iso.datetime(),
      expiresAt: z.iso.datetime(),
    }),
  ),
});
export type MemberSummary = z.infer<typeof membersAnswer>["members"][number];
export type Invite = z.infer<typeof membersAnswer>["invites"][number];

/** The answer with a new one-time link, which is shown only once. */
export const newLinkAnswer = answered({ link: z.url() });

/** The answer of GET /api/admin/account. */
export const accountAnswer = answered({
  account: z.strictObject({
    name: z.string(),
    email: z.string(),
    role,
    twoFactor: z.boolean(),
    accounts: z.array(linkedAccount),
    sessions: z.array(
      z.strictObject({
        id: z.string(),
        current: z.boolean(),
        userAgent: z.string().nullable(),
        ipAddress: z.string().nullable(),
        createdAt: z.iso.datetime(),
        updatedAt: z.iso.datetime(),
      }),
    ),
  }),
});
export type Account = z.infer<typeof accountAnswer>["account"];

export const accountChange = z.strictObject({ name: memberName });
export const sessionId = z.strictObject({ id: z.string() });
/** The body of POST /api/admin/account/sign-out-everywhere: `others` keeps this session. */
export const signOutEverywhereInput = z.strictObject({ others: z.boolean("must be true or false").default(false) });
