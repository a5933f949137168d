import { hasCurrentToken, jsonLiteral, literal, type Notation, type Value } from "@/lib/snippets/literal";
import { API_TOKEN_VARIABLE, CURRENT_TOKEN_VARIABLE, KEY_NOTE, type ProgramRequest } from "@/lib/snippets/request";

/** JSON inside double quotes, where the shell inserts the token. */
const doubleQuoted: Notation = {
  ...jsonLiteral,
  string: (text) => jsonLiteral.string(text).replace(/["\\$`]/g, "\\$&"),
  currentToken: `\\"$${CURRENT_TOKEN_VARIABLE}\\"`,
};

/** The call with curl, for a POSIX shell. */
export function curl({ hasKey, isPublic = false, method, url, body }: ProgramRequest): string {
  const key = `# ${KEY_NOTE}
key=$(openssl rand -hex 16)

`;
  const options = [
    `curl --request ${method} ${quoteShell(url)}`,
    ...(isPublic ? [] : [`--header "Authorization: Token $${API_TOKEN_VARIABLE}"`]),
    ...(body === undefined ? [] : ["--header 'Content-Type: application/json'"]),
    ...(hasKey ? ['--header "Idempotency-Key: $key"'] : []),
    ...(body === undefined ? [] : [`--data-raw ${quoteBody(body)}`]),
    "--fail-with-body --silent --show-error --max-time 10",
  ];
  return `${hasKey ? key : ""}${options.join(" \\\n  ")}\n`;
}

function quoteBody(body: Value): string {
  return hasCurrentToken(body) ? `"${literal(body, doubleQuoted, 1)}"` : quoteShell(literal(body, jsonLiteral, 1));
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
