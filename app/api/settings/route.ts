import { z } from "zod";
import { programs, programsWith } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { lanes } from "@/lib/endpoint/lanes";
import { entityTags } from "@/lib/groups/group";
import { MAX_SETTINGS_BYTES, readWantedSettings } from "@/lib/settings/input";
import { answerAppliedSettings, answerSettingsDocument } from "@/lib/settings/serialize";
import { readSettings, SETTINGS_CONDITIONS, setSettings } from "@/lib/settings/service";

export const GET = endpoint({
  access: programs("groups:read", "webhooks:write", "events:read"),
  input: z.strictObject({}),
  handle: async ({ caller }) => answerSettingsDocument(await readSettings(caller.environment.id)),
});

export const PUT = endpoint({
  access: programsWith({ scopes: ["groups:read"], sometimes: SETTINGS_CONDITIONS }),
  conditions: ["If-Match"],
  maxBody: MAX_SETTINGS_BYTES,
  // The names of new receivers are resolved, which has a limit of its own.
  hasDeadline: false,
  enter: lanes(2, "changes of settings"),
  read: readWantedSettings,
  handle: async ({ call, caller, input }) =>
    answerAppliedSettings(await setSettings(caller, input, entityTags(call.headers["if-match"]))),
});
