import { withNeeds, withScopes } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { lanes } from "@/lib/endpoint/lanes";
import { entityTags } from "@/lib/groups/group";
import { MAX_SETTINGS_BYTES, readWantedSettings } from "@/lib/settings/input";
import { appliedSettingsAnswer, settingsAnswer, settingsDocument, settingsParameters } from "@/lib/settings/schema";
import { answerAppliedSettings, answerSettingsDocument } from "@/lib/settings/serialize";
import { readSettings, SETTINGS_CONDITIONS, setSettings } from "@/lib/settings/service";
import { SHOWN_EXAMPLE } from "@/lib/viewer-tokens/settings-schema";
import { SECRET_EXAMPLE, WEBHOOK_EXAMPLE } from "@/lib/webhooks/schema";

export const GET = endpoint({
  operationId: "getSettings",
  summary: "Export the settings",
  description:
    "Returns the environment's definitions, embed settings and webhooks as one document, without secrets. API " +
    "tokens and members are not in it.",
  access: withScopes("groups:read", "webhooks:write", "events:read"),
  input: noInput,
  answered: "The settings.",
  answer: settingsAnswer,
  etag: '"s-9f86d081884c7d659a2feaa0c55ad015"',
  handle: async ({ caller }) => answerSettingsDocument(await readSettings(caller.environment.id)),
});

export const PUT = endpoint({
  operationId: "applySettings",
  summary: "Apply settings",
  description:
    "Replaces the settings with those of a document, in a body of up to 512 KiB: all of it, or nothing. A part " +
    "that is omitted stays as it is; any other is replaced entirely. Secrets are kept, and those of new " +
    "webhooks are in the answer, which shows them only once.",
  access: withNeeds({ scopes: ["groups:read"], sometimes: SETTINGS_CONDITIONS, ofMembers: ["webhooks:write"] }),
  conditions: ["If-Match"],
  maxBody: MAX_SETTINGS_BYTES,
  // Resolving the names of new receivers has its own time limit.
  hasDeadline: false,
  enter: lanes(2, "changes of settings"),
  read: readWantedSettings,
  body: settingsDocument,
  query: settingsParameters,
  requestExample: { allowed_origins: SHOWN_EXAMPLE.allowed_origins, webhooks: [WEBHOOK_EXAMPLE] },
  answered: "The differences, and the new webhooks.",
  answer: appliedSettingsAnswer,
  answerExample: {
    changes: [
      { path: ["allowed_origins"], before: null, after: SHOWN_EXAMPLE.allowed_origins },
      {
        path: ["webhooks", WEBHOOK_EXAMPLE.url],
        after: { description: WEBHOOK_EXAMPLE.description, types: WEBHOOK_EXAMPLE.types, enabled: true },
      },
    ],
    webhooks: [{ url: WEBHOOK_EXAMPLE.url, secret: SECRET_EXAMPLE }],
  },
  etag: '"s-9f86d081884c7d659a2feaa0c55ad015"',
  errors: ["conflict"],
  handle: async ({ call, caller, input }) =>
    answerAppliedSettings(await setSettings(caller, input, entityTags(call.headers["if-match"]))),
});
