import type { Environment, MemberCaller } from "@/lib/members/caller";

/** Who is signed in, and the environments there are to choose from. */
export function serializeSession({ id, name, email, role }: MemberCaller, environments: Environment[]) {
  return {
    member: { id, name, email, role },
    environments: environments.map(({ slug, name, tag }) => ({ slug, name, tag })),
  };
}
