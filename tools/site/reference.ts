import type { oas31 } from "zod-openapi";
import { bodyOf, callsOf, type DescribedCall, follow, membersOf, reference, typeOf } from "@/lib/openapi/reference";
import { type ExampleCall, exampleCalls, requestOfExample } from "@/lib/openapi/snippets";
import { LANGUAGE_IDS, LANGUAGES } from "@/lib/snippets/snippet";
import { slugOf } from "./slug";

type Schema = oas31.SchemaObject;

/** The page that lists all calls. */
export const REFERENCE = "docs/reference/README.md";
const BASE_URL = "https://groups.example.com";
/** Errors that not every call has. */
const OWN = ["404", "409", "410", "412"];

const HEAD = `# API reference

Every call, from the service's own description (\`/openapi.json\`). [The API](../api.md) says how they fit together, and
lists [the errors](../api.md#errors). The programs read the API token from \`USER_GROUPS_API_TOKEN\`, and a user group token
from \`USER_GROUP_TOKEN\`.

| Language | Run | Needs |
| --- | --- | --- |
${LANGUAGE_IDS.map((id) => {
  const { name, command, extension, needs } = LANGUAGES[id];
  return `| ${name} | \`${command} call.${extension}\` | ${needs} |\n`;
}).join("")}
`;

const fileOf = (tag: string) => `${slugOf(tag)}.md`;

/** The API reference: a page of all calls, and one for each tag. */
export function referencePages(): { path: string; text: string }[] {
  const examples = new Map(exampleCalls(reference).map((call) => [call.operationId, call]));
  const tags = (reference.tags ?? []).map(({ name, description = "" }) => ({ name, description }));
  const lists = tags.map(({ name, description }) => {
    const lines = callsOf(name).map(
      ({ method, path, operation: { summary = "" } }) =>
        `- [${summary}](${fileOf(name)}#${slugOf(summary)}): \`${method} ${path}\`\n`,
    );
    return `## ${name}\n\n${description}\n\n${lines.join("")}\n`;
  });
  const pages = tags.map(({ name, description }) => {
    const calls = callsOf(name).map((call) => section(call, examples.get(call.operation.operationId ?? "")));
    return { path: `docs/reference/${fileOf(name)}`, text: `# API: ${name}\n\n${description}\n\n${calls.join("\n")}` };
  });
  return [{ path: REFERENCE, text: HEAD + lists.join("") }, ...pages];
}

function section({ method, path, operation }: DescribedCall, example: ExampleCall | undefined): string {
  const { summary = "", description = "", responses = {} } = operation;
  const parameters = (operation.parameters ?? []).map((one) => follow<oas31.ParameterObject>(one));
  const body = mediaOf(bodyOf(operation));
  const answer = mediaOf(responses["200"] && follow<oas31.ResponseObject>(responses["200"]));
  const [shown] = Object.values(answer?.examples ?? {});
  const failures = Object.entries(responses).filter(([status]) => OWN.includes(status));
  const parts = [
    ["Parameters", parameters.map(parameterLine).join("\n")],
    ["Body", body?.schema ? fieldLines(body.schema) : ""],
    ["Answer", shown && "value" in shown ? block("json", JSON.stringify(shown.value, null, 2)) : ""],
    [
      "Errors besides [those of all calls](../api.md#errors)",
      failures.map(([status, one]) => `- ${status} ${follow<oas31.ResponseObject>(one).description}`).join("\n"),
    ],
    ["Example", example ? programsOf(example) : ""],
  ];
  const texts = parts.filter(([, text]) => text).map(([title, text]) => `**${title}**\n\n${text}\n`);
  return `## ${summary}\n\n\`${method} ${path}\`\n\n${description}\n\n${texts.join("\n")}`;
}

function mediaOf(thing: oas31.RequestBodyObject | oas31.ResponseObject | undefined) {
  return thing?.content?.["application/json"];
}

function parameterLine({ name, in: place, required, description, schema = {} }: oas31.ParameterObject): string {
  const field = follow<Schema>(schema);
  return lineOf(name, `${place}, ${typeOf(field)}`, required, description ?? field.description);
}

/** A list of a schema's fields, nested ones below their parent. */
function fieldLines(schema: Schema | oas31.ReferenceObject, indent = ""): string {
  const { properties = {}, required = [], oneOf } = follow<Schema>(schema);
  if (oneOf) {
    return oneOf
      .map((one, at) => `${indent}- ${at === 0 ? "Either" : "Or"}\n${fieldLines(one, `${indent}  `)}`)
      .join("\n");
  }
  return Object.entries(properties)
    .flatMap(([name, property]) => {
      const field = follow<Schema>(property);
      const members = membersOf(field);
      return [
        indent + lineOf(name, typeOf(field), required.includes(name), field.description),
        ...(members ? [fieldLines(members, `${indent}  `)] : []),
      ];
    })
    .join("\n");
}

function lineOf(name: string, type: string, isRequired: boolean | undefined, about = ""): string {
  const text = about.replaceAll(/\s+/g, " ");
  return `- \`${name}\` (${type}${isRequired ? ", required" : ""})${text && `: ${text}`}`;
}

/** The call as a program, in each language. It reads its tokens from the environment. */
function programsOf(call: ExampleCall): string {
  const programs = LANGUAGE_IDS.map((language) => {
    const { name, fence, write } = LANGUAGES[language];
    const program = block(fence, write(requestOfExample(call, BASE_URL)).trimEnd());
    return language === "curl" ? program : `<details>\n<summary>${name}</summary>\n\n${program}\n\n</details>`;
  });
  return programs.join("\n\n");
}

const block = (language: string, text: string) => `\`\`\`${language}\n${text}\n\`\`\``;
