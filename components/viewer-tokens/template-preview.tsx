import { fillTemplate } from "@/lib/environments/embed";

interface TemplatePreviewProps {
  template: string;
  /** its slug */
  environment: string;
}

/** A template filled in for a sample user group. */
export function TemplatePreview({ template, environment }: TemplatePreviewProps) {
  const { text } = fillTemplate(template, {
    token: "ugt_SampleTokenOfAcme",
    userGroupId: "acme-1",
    userGroupName: "Acme GmbH",
    environment,
    properties: samplesFor(template),
  });
  return (
    <section aria-label="Preview" className="flex flex-col gap-1.5">
      <h3 className="font-medium">Preview with sample values</h3>
      <pre className="min-h-9 whitespace-pre-wrap break-all rounded-md border border-border bg-sunken px-3 py-2 font-mono text-xs">
        {text.trim() === "" ? <span className="text-text-muted">Nothing yet</span> : text}
      </pre>
    </section>
  );
}

/** A sample value for every property in the template. */
function samplesFor(template: string): Record<string, unknown> {
  const keys = [...template.matchAll(/\{\{\s*properties\.([^{}]*?)\s*\}\}/g)].map(([, key = ""]) => key);
  return Object.fromEntries(keys.map((key) => [key, `sample of ${key}`]));
}
