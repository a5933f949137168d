import { closestName } from "@/lib/json/closest-name";

/** The values of an embed configuration. */
interface EmbedValues {
  token: string;
  userGroupId: string;
  userGroupName: string;
  /** slug */
  environment: string;
}

/** Placeholder names, in addition to `properties.KEY`. */
const NAMES = ["userGroupToken", "userGroupId", "userGroupName", "environment"] as const;
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

interface Filled {
  text: string;
  /** placeholders without a value, each once, as written */
  missing: string[];
}

/**
 * Fills the team's own template: `{{userGroupToken}}`, `{{userGroupId}}`, `{{userGroupName}}`, `{{environment}}` and
 * `{{properties.KEY}}`, where dots lead into nested objects unless a key contains them. A string is inserted as is, any
 * other value as JSON; the author quotes for the surrounding language. A placeholder without a value stays.
 */
export function fillTemplate(
  template: string,
  { token, properties, ...rest }: EmbedValues & { properties: unknown },
): Filled {
  const named: Record<(typeof NAMES)[number], string> = { userGroupToken: token, ...rest };
  const values = new Map<string, string>(Object.entries(named));
  const missing = new Set<string>();
  // One pass, with a function: values are never read as placeholders, nor as a `$&` of replace's.
  const text = template.replace(PLACEHOLDER, (placeholder: string, inside: string) => {
    const name = inside.trim();
    const [, key] = /^properties\.(.+)$/s.exec(name) ?? [];
    const value = key === undefined ? values.get(name) : lookUp(properties, key);
    if (value !== undefined) return typeof value === "string" ? value : JSON.stringify(value);
    if (isName(name)) missing.add(placeholder);
    return placeholder;
  });
  return { text, missing: [...missing] };
}

/** JSX has double braces too, as in `style={{ color: "red" }}`: only a name is a placeholder. */
function isName(text: string): boolean {
  return /^\w+(\..*)?$/s.test(text);
}

/** The most unknown placeholders to report: a template has room for thousands. */
const MAX_NAMED = 3;

/** A template's unknown placeholders and their places, as the rest of a sentence; undefined if there are none. */
export function describeUnknownPlaceholders(template: string): string | undefined {
  const unknown = [...template.matchAll(PLACEHOLDER)].filter(
    ([, inside = ""]) => isName(inside.trim()) && !isKnown(inside.trim()),
  );
  const [first, ...more] = unknown.slice(0, MAX_NAMED).map(({ 0: placeholder, 1: inside = "", index }) => {
    const lines = template.slice(0, index).split(/\r\n?|\n/);
    const column = [...(lines.at(-1) ?? "")].length + 1;
    return `at line ${lines.length}, column ${column}: ${placeholder.slice(0, 100)} (${advise(inside.trim())})`;
  });
  if (!first) return undefined;
  const rest = unknown.length > MAX_NAMED ? `, and ${unknown.length - MAX_NAMED} more` : "";
  return `has an unknown placeholder ${[first, ...more.map((one) => `one ${one}`)].join(", and ")}${rest}`;
}

function isKnown(name: string): boolean {
  return NAMES.some((known) => known === name) || /^properties\..+$/s.test(name);
}

function advise(name: string): string {
  const part = name.toLowerCase();
  const guess = closestName(name, NAMES) ?? NAMES.find((known) => known.toLowerCase().endsWith(part));
  if (guess) return `did you mean {{${guess}}}?`;
  const [, key = "KEY"] = /^(?!properties\b)(?:\w+\.)?(\w+)$/.exec(name.slice(0, 100)) ?? [];
  return `a property is {{properties.${key}}}`;
}

/** The value at a path; where keys contain dots, the longest that leads to a value wins. */
function lookUp(value: unknown, path: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  const members = Object.entries(value)
    .filter(([key]) => path === key || path.startsWith(`${key}.`))
    .sort(([a], [b]) => b.length - a.length);
  for (const [key, member] of members) {
    const found = key === path ? member : lookUp(member, path.slice(key.length + 1));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The ready-made embed configurations. */
export function embedSnippets({ token, userGroupId }: Pick<EmbedValues, "token" | "userGroupId">) {
  return {
    json: `{\n  "userGroupToken": ${quoteJson(token)},\n  "userGroupId": ${quoteJson(userGroupId)}\n}`,
    html: `<div data-user-group-token="${escapeHtml(token)}" data-user-group-id="${escapeHtml(userGroupId)}"></div>`,
    react: `<EmbeddedDashboard userGroupToken=${quoteJsx(token)} userGroupId=${quoteJsx(userGroupId)} />`,
    dotenv: `${dotenvLine("USER_GROUP_TOKEN", token)}\n${dotenvLine("USER_GROUP_ID", userGroupId)}\n`,
  };
}

const HTML = new Map([
  ["&", "&amp;"],
  ["<", "&lt;"],
  [">", "&gt;"],
  ['"', "&quot;"],
  ["'", "&#39;"],
]);

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => HTML.get(character) ?? character);
}

/** A JSON string that is also valid JavaScript (before 2019, U+2028 was not), and cannot close a script element. */
function quoteJson(text: string): string {
  return JSON.stringify(text).replace(
    /[<\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** In JSX a plain attribute string has no escapes; an expression has. */
function quoteJsx(text: string): string {
  return /^[\w .:@/-]*$/.test(text) ? `"${text}"` : `{${quoteJson(text)}}`;
}

/**
 * `.env` parsers agree on text in single quotes, and on plain text in double quotes, but on no escapes: a value that
 * needs one is omitted rather than misread, or run by a shell.
 */
function dotenvLine(name: string, value: string): string {
  if (/^[\w.-]+$/.test(value)) return `${name}=${value}`;
  if (!/['\r\n]|\\$/.test(value)) return `${name}='${value}'`;
  if (!/["$`\\!\r\n]/.test(value)) return `${name}="${value}"`;
  return `# ${name} is omitted: .env parsers disagree on its quotes.`;
}
