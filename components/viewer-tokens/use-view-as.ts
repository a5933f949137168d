import { useQuery } from "@tanstack/react-query";
import { toastFailure } from "@/components/failure";
import { toast } from "@/components/ui/toast";
import { useEnvironmentSlug } from "@/components/use-environment";
import { useCanWrite } from "@/components/use-member";
import { ApiError } from "@/lib/browser/api-client";
import type { Group } from "@/lib/groups/queries";
import { askToViewAs, viewerSettingsQuery } from "@/lib/viewer-tokens/queries";

const WHY = {
  suspended: "It is suspended. Resume it first.",
  ended: "Its access has ended. Change the end of its access first.",
};

/** Opens the environment's preview page as a viewer of the group, in a new tab. */
export function useViewAs(group: Group, onNoPreview: () => void): () => void {
  const slug = useEnvironmentSlug();
  const { data: settings } = useQuery({ ...viewerSettingsQuery(slug), enabled: useCanWrite() });
  const failed = `“${group.name}” cannot be viewed`;
  return () => {
    if (settings?.preview_url === null) return onNoPreview();
    if (group.state !== "active") return toast({ title: failed, description: WHY[group.state] });
    // Opened within the click, or the browser would block it.
    const tab = window.open("about:blank");
    if (!tab)
      return toast({ title: failed, description: "Your browser blocked the new tab. Allow it, then try again." });
    tab.opener = null;
    void askToViewAs(slug, group).then(
      (url) => tab.location.replace(url),
      (error) => {
        tab.close();
        if (error instanceof ApiError && error.code === "conflict") onNoPreview();
        else toastFailure(failed, error);
      },
    );
  };
}
