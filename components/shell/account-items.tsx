import { useQuery } from "@tanstack/react-query";
import { UserRound } from "lucide-react";
import { PageLink } from "@/components/page-link";
import { roleName } from "@/components/roles";
import { useAccountActions } from "@/components/shell/use-account-actions";
import { MenuChoice, MenuItems, MenuLink, MenuNote, MenuSeparator } from "@/components/ui/menu";
import { chooseZone, useZone, type Zone, zoneAt } from "@/components/ui/time-zone";
import { useEnvironmentSlug } from "@/components/use-environment";
import { sessionQuery } from "@/lib/members/queries";

/** The signed-in member, and menu items that apply to all pages. */
export function AccountItems() {
  const slug = useEnvironmentSlug();
  const { data } = useQuery(sessionQuery);
  const actions = useAccountActions();
  const zone = useZone() ?? "local";
  const { name = "", email = "", role } = data?.member ?? {};
  return (
    <>
      <MenuNote>
        <span className="block font-medium text-sm text-text">{name}</span>
        {name !== email && <span className="block break-all">{email}</span>}
        <span className="block">{roleName(role)}</span>
      </MenuNote>
      <MenuSeparator />
      <MenuLink icon={UserRound} render={<PageLink href={`/${slug}/settings/account`} />}>
        Your account
      </MenuLink>
      <MenuItems items={actions} />
      <MenuSeparator />
      <MenuNote>Times</MenuNote>
      <MenuChoice
        label="Times"
        value={zone}
        onChange={(chosen) => chooseZone(chosen as Zone)}
        options={[
          { value: "local", label: `Your zone, ${zoneAt(null, "local")}` },
          { value: "utc", label: "UTC" },
        ]}
      />
      {data && (
        <>
          <MenuSeparator />
          <MenuNote>
            Version {data.version}
            {data.commit && ` (${data.commit.slice(0, 7)})`}
          </MenuNote>
        </>
      )}
    </>
  );
}
