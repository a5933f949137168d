import { useQuery } from "@tanstack/react-query";
import { Face } from "@/components/ui/face";
import { Menu } from "@/components/ui/menu";
import { onDemand } from "@/components/ui/on-demand";
import { sessionQuery } from "@/lib/members/queries";

const parts = onDemand(() => import("@/components/shell/account-items"));
const AccountItems = parts.part("AccountItems");

/** The account menu; its button shows the member's face, with `isWide` the name too. */
export function AccountMenu({ isWide = false }: { isWide?: boolean }) {
  const { data } = useQuery(sessionQuery);
  const name = data?.member.name ?? "";
  return (
    <Menu
      align={isWide ? "start" : "end"}
      needs={parts}
      button={{
        variant: "ghost",
        size: isWide ? "text" : "icon",
        className: isWide ? "w-full justify-start gap-2 px-2" : "rounded-full",
        children: (
          <>
            <Face name={name} />
            {isWide && (
              <span aria-hidden className="truncate">
                {name}
              </span>
            )}
            <span className="sr-only">Your account</span>
          </>
        ),
      }}
    >
      <AccountItems />
    </Menu>
  );
}
