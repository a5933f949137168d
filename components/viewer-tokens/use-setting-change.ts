import { isSame } from "@/components/unchanged";
import { type Action, type ActionOptions, useAction } from "@/components/use-action";
import { useEnvironmentSlug } from "@/components/use-environment";
import {
  askToChangeViewerSettings,
  fetchViewerSettings,
  type ViewerSettings,
  viewersKey,
} from "@/lib/viewer-tokens/queries";

interface SettingChange<Fields>
  extends Pick<ActionOptions<Fields, unknown>, "failed" | "undone" | "onDone" | "onClose"> {
  /** the changes to the settings that are current when it is sent; must be idempotent */
  change: (fields: Fields, now: ViewerSettings) => Partial<ViewerSettings>;
  /** throws if the current settings no longer allow the change */
  check?: (now: ViewerSettings, fields: Fields) => void;
  /** the toast's title */
  done: string;
}

/** Changes the environment's settings for viewer tokens. */
export function useSettingChange<Fields = FormData>(options: SettingChange<Fields>): Action<Fields> {
  const { change, check, done, ...rest } = options;
  const slug = useEnvironmentSlug();
  return useAction<Fields>({
    act: (fields) =>
      askToChangeViewerSettings(slug, (now) => {
        check?.(now, fields);
        return change(fields, now);
      }),
    wasDone: async (fields) => {
      const now = await fetchViewerSettings(slug);
      return isSame(now, { ...now, ...change(fields, now) });
    },
    done: () => ({ title: done }),
    ...rest,
    reads: [viewersKey(slug)],
  });
}
