import { withNeeds, withScopes } from "@/lib/endpoint/access";
import { endpoint, noInput } from "@/lib/endpoint/endpoint";
import { answerSettings } from "@/lib/viewer-tokens/serialize";
import { changeViewerSettings, readViewerSettings } from "@/lib/viewer-tokens/settings";
import {
  SETTINGS_EXAMPLE,
  SHOWN_EXAMPLE,
  viewerSettings,
  viewerSettingsAnswer,
} from "@/lib/viewer-tokens/settings-schema";

export const GET = endpoint({
  operationId: "getViewerSettings",
  summary: "Get the viewer settings",
  description: "Returns what the environment's viewer tokens contain.",
  access: withScopes("groups:read"),
  input: noInput,
  answered: "The settings.",
  answer: viewerSettingsAnswer,
  answerExample: SETTINGS_EXAMPLE,
  handle: async ({ caller }) => answerSettings(await readViewerSettings(caller)),
});

// Minting too: the preview page that a caller sets gets a viewer token from each View as.
export const PUT = endpoint({
  operationId: "setViewerSettings",
  summary: "Set the viewer settings",
  description:
    "Replaces all settings: whatever is omitted is reset. They apply to new viewer tokens, and `allowed_origins` " +
    "to `POST /api/viewer` too.",
  access: withNeeds({
    scopes: ["definitions:write", "viewers:mint"],
    sometimes: [{ scope: "templates:write", when: "to change templates" }],
  }),
  input: viewerSettings,
  requestExample: SHOWN_EXAMPLE,
  answered: "The settings.",
  answer: viewerSettingsAnswer,
  answerExample: SETTINGS_EXAMPLE,
  errors: ["conflict"],
  handle: async (request) => answerSettings(await changeViewerSettings(request)),
});
