import { Button } from "@/components/ui/button";

const VARIABLES = [
  { text: "{{userGroupToken}}", means: "the user group’s token" },
  { text: "{{userGroupId}}", means: "its id" },
  { text: "{{userGroupName}}", means: "its name" },
  { text: "{{environment}}", means: "the environment’s slug" },
  { text: "{{properties.KEY}}", means: "one of its properties: replace KEY with its key" },
];

/** The template variables; a click inserts one. */
export function TemplateVariables({ onInsert }: { onInsert: (variable: string) => void }) {
  return (
    <ul aria-label="Variables" className="flex flex-wrap gap-1.5">
      {VARIABLES.map(({ text, means }) => (
        <li key={text}>
          <Button size="small" onClick={() => onInsert(text)} title={`Insert ${means}`} className="font-mono">
            {text}
          </Button>
        </li>
      ))}
    </ul>
  );
}
