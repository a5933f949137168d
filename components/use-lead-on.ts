import { usePathname, useRouter } from "next/navigation";

/** Returns a function that opens a page once something is done, unless the member has left this one by then. */
export function useLeadOn(): (href: string) => void {
  const router = useRouter();
  const here = usePathname();
  return (href) => {
    if (window.location.pathname === here) router.push(href);
  };
}
