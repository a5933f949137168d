import { usePathname, useRouter } from "next/navigation";

type Go = (push: () => void) => void;

/** Returns a function that opens another page by `go`, unless the member has left this one by then. */
export function useLeadOn(): (href: string, go?: Go) => void {
  const router = useRouter();
  const here = usePathname();
  return (href, go = (push) => push()) => {
    if (window.location.pathname === here) go(() => router.push(href));
  };
}
