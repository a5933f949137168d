import { countCall } from "@/lib/auth/api-token-caller";
import { countedAs, type Identified, requireScopes } from "@/lib/auth/caller";
import { countedAddress } from "@/lib/auth/client-address";
import { authenticateMember, type MemberCaller, requireRole, signedOut } from "@/lib/auth/member-caller";
import type { Role } from "@/lib/auth/role";
import type { Scope, ScopeCondition } from "@/lib/authority/scopes";
import type { Call } from "@/lib/endpoint/call";
import { identify, readCredential, recall, refuseCrossSite } from "@/lib/endpoint/credential";
import { AppError } from "@/lib/errors";
import { limitOf } from "@/lib/limits/limits";
import type { GroupKey } from "@/lib/store/group-row";

/** The callers of an endpoint, as data: docs/access.md and the tests' access matrix are generated from them. */
export type Callers =
  /** API tokens with all of `scopes`, and, if `isForMembers`, members whose role has those and `ofMembers` */
  | {
      kind: "scoped";
      scopes: readonly Scope[];
      sometimes: readonly ScopeCondition[];
      ofMembers: readonly Scope[];
      isForMembers: boolean;
    }
  | { kind: "members"; role: Role }
  /** holders of the secret of a setting */
  | { kind: "holders"; setting: string }
  | { kind: "own pages" }
  | { kind: "anyone" };

/** Who may call an endpoint, and how to find out. */
export interface Access<Who extends object> {
  callers: Callers;
  /**
   * Refuses what can be refused without the database, and returns the function that identifies the caller and, in the
   * same look-up, finds the first of these groups that exists. With `mayRecall`, known callers are not looked up.
   */
  admit(call: Call): (groups: GroupKey[], mayRecall?: boolean) => Promise<Who>;
  /** Whether a caller was found without a look-up. */
  isRemembered?(who: Who): boolean;
  /** Counts the request for its caller, and refuses a caller without permission. */
  permit?(who: Who, call: Call): void;
}

/** API tokens with all of these scopes, and members whose role has them: the dashboard calls the same API. */
export function withScopes(...scopes: Scope[]) {
  return withNeeds({ scopes });
}

interface Needs {
  scopes: readonly Scope[];
  /** scopes that only some requests need; the service verb checks them */
  sometimes?: readonly ScopeCondition[];
  /** additional scopes that only members need */
  ofMembers?: readonly Scope[];
  /** false for calls about the calling API token */
  isForMembers?: boolean;
}

/** As {@link withScopes}, for endpoints whose needs depend on the request or the kind of caller. */
export function withNeeds(needs: Needs): Access<Identified> {
  const { scopes, sometimes = [], ofMembers = [], isForMembers = true } = needs;
  return {
    callers: { kind: "scoped", scopes, sometimes, ofMembers, isForMembers },
    admit(call) {
      limitOf("requests")?.spend(countedAddress(call));
      const credential = readCredential(call);
      return (groups, mayRecall) => (mayRecall ? recall(call, credential) : identify(call, credential, groups));
    },
    isRemembered: ({ caller }) => caller.remembered !== undefined,
    permit({ caller }, call) {
      countCall(caller);
      call.environment = caller.environment.slug;
      limitOf("requests")?.spend(countedAs(caller));
      if (!isForMembers && caller.actorType === "member") {
        throw new AppError("forbidden", "This call is for API tokens only.");
      }
      requireScopes(caller, caller.actorType === "member" ? [...scopes, ...ofMembers] : scopes);
    },
  };
}

/** Members with at least this role, by session only, never by API token. */
export function members(role: Role): Access<{ caller: MemberCaller }> {
  return {
    callers: { kind: "members", role },
    admit(call) {
      const { cookie = "", "x-environment": slug, authorization } = call.headers;
      if (typeof slug !== "string" || authorization !== undefined) throw signedOut();
      return async () => {
        const caller = await authenticateMember({ cookie, slug, requestId: call.requestId });
        if (!caller) throw signedOut();
        refuseCrossSite(call);
        if (caller.environment) call.environment = caller.environment.slug;
        return { caller };
      };
    },
    permit: ({ caller }) => requireRole(caller, role),
  };
}

const NOBODY = {};

/** Our own pages, before sign-in. */
export const ownPages: Access<object> = {
  callers: { kind: "own pages" },
  admit(call) {
    refuseCrossSite(call);
    return async () => NOBODY;
  },
};

export const anyone: Access<object> = { callers: { kind: "anyone" }, admit: () => async () => NOBODY };

/** Anyone; as a request may need the database, it counts towards its address's limit. */
export const countedAnyone: Access<object> = {
  callers: { kind: "anyone" },
  admit(call) {
    limitOf("requests")?.spend(countedAddress(call));
    return async () => NOBODY;
  },
};
