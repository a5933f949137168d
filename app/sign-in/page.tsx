import { headers } from "next/headers";
import { SignInPage } from "@/components/members/sign-in-page";
import { Prefetched } from "@/components/prefetched";
import { prefetch } from "@/lib/endpoint/prefetch";
import { signedInQuery } from "@/lib/members/queries";

export default async function Page() {
  const answer = await prefetch({ path: "/api/admin/session", environment: "-" });
  const hasCookie = (await headers()).has("cookie");
  return (
    <Prefetched queryKey={signedInQuery.queryKey} answer={answer}>
      <SignInPage maySendOn={hasCookie} />
    </Prefetched>
  );
}
