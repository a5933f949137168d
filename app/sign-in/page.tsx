import { headers } from "next/headers";
import { AnswerAhead } from "@/components/answer-ahead";
import { SignInPage } from "@/components/members/sign-in-page";
import { askAhead } from "@/lib/endpoint/ahead";
import { signedInQuery } from "@/lib/members/queries";

export default async function Page() {
  const answer = await askAhead({ path: "/api/admin/session", environment: "-" });
  const hasCookie = (await headers()).has("cookie");
  return (
    <AnswerAhead queryKey={signedInQuery.queryKey} answer={answer}>
      <SignInPage maySendOn={hasCookie} />
    </AnswerAhead>
  );
}
