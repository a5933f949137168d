import { useQuery } from "@tanstack/react-query";
import { Webhook } from "lucide-react";
import type { ReactNode } from "react";
import { EmptyPanel } from "@/components/empty-panel";
import { PageHeader } from "@/components/page-header";
import { useCanWrite } from "@/components/use-member";
import { sessionQuery } from "@/lib/members/queries";

/** A page that readers are told they cannot see, as the service answers them nothing about webhooks. */
export function ForAdmins({ children }: { children: ReactNode }) {
  const canWrite = useCanWrite();
  const { isSuccess: isMemberKnown } = useQuery(sessionQuery);
  if (canWrite || !isMemberKnown) return children;
  return (
    <>
      <PageHeader title="Webhooks" />
      <EmptyPanel icon={Webhook} title="Owners and admins manage webhooks">
        <p>Ask an owner for the Admin role to see them.</p>
      </EmptyPanel>
    </>
  );
}
