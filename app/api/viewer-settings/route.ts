import { z } from "zod";
import { programs } from "@/lib/endpoint/access";
import { endpoint } from "@/lib/endpoint/endpoint";
import { answerSettings } from "@/lib/viewer-tokens/serialize";
import { changeViewerSettings, readViewerSettings } from "@/lib/viewer-tokens/settings";
import { viewerSettings } from "@/lib/viewer-tokens/settings-schema";

export const GET = endpoint({
  access: programs("groups:read"),
  input: z.strictObject({}),
  handle: async ({ caller }) => answerSettings(await readViewerSettings(caller)),
});

// Minting too: the preview page that a caller sets gets a viewer token from each View as.
export const PUT = endpoint({
  access: programs("definitions:write", "viewers:mint"),
  conditions: [],
  input: viewerSettings,
  handle: async (request) => answerSettings(await changeViewerSettings(request)),
});
