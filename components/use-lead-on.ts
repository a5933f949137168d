import { usePathname, useRouter } from "next/navigation";

/** Returns a function that opens another page, unless the member has left this one by then. */
export function useLeadOn(): (href: string) => void {
  const router = useRouter();
  const here = usePathname();
  return (href) => {
    if (window.location.pathname === here) router.push(href);
  };
}
