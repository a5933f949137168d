import { invalidFields } from "@/lib/errors";
import { type ClaimTemplate, type ViewerSettings, viewerSettings } from "@/lib/viewer-tokens/settings-schema";

/** Stored settings, without the origins, which have a column of their own. */
export function settingsIn(text: string | null): Omit<ViewerSettings, "allowed_origins"> {
  const { allowed_origins: _, ...settings } = viewerSettings.parse(text === null ? {} : JSON.parse(text));
  return settings;
}

/** @throws {AppError} `invalid_fields` when the environment has no such template */
export function templateIn({ templates }: Pick<ViewerSettings, "templates">, name: string): ClaimTemplate {
  const template = Object.hasOwn(templates, name) ? templates[name] : undefined;
  if (template) return template;
  throw invalidFields([{ path: ["template"], message: "is not a claim template of this environment" }]);
}
