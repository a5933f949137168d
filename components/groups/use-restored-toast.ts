import { useRouter } from "next/navigation";
import { leave } from "@/components/ui/leave-guard";
import type { ToastOptions } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";

/** How long it can be read, in milliseconds: there is more to do. */
const READ_MS = 10_000;

/** The toast for one group that was restored; with problems, it leads to them. */
export function useRestoredToast() {
  const slug = useEnvironmentSlug();
  const router = useRouter();
  return ({ name, teamId }: { name: string; teamId: number }, hasProblems: boolean): ToastOptions => ({
    title: `“${name}” was restored`,
    ...(hasProblems && {
      description: "It does not follow every rule.",
      timeout: READ_MS,
      action: { label: "Show", onClick: () => leave(() => router.push(`/${slug}/groups/${teamId}`)) },
    }),
  });
}
