import { jsonLiteral, literal } from "@/lib/snippets/literal";
import { API_TOKEN_VARIABLE, CURRENT_TOKEN_VARIABLE, KEY_NOTE, type SnippetRequest } from "@/lib/snippets/request";

/** The call with curl, for a POSIX shell. */
export function curl({ isRotation, method, url, body }: SnippetRequest): string {
  const key = `# ${KEY_NOTE}
key=$(openssl rand -hex 16)

`;
  const options = [
    `curl --request ${method} ${quoteShell(url)}`,
    `--header "Authorization: Token $${API_TOKEN_VARIABLE}"`,
    "--header 'Content-Type: application/json'",
    ...(isRotation ? ['--header "Idempotency-Key: $key"'] : []),
    `--data-raw ${isRotation ? `"{\\"current_token\\": \\"$${CURRENT_TOKEN_VARIABLE}\\"}"` : quoteShell(literal(body, jsonLiteral, 1))}`,
    "--fail-with-body --silent --show-error --max-time 10",
  ];
  return `${isRotation ? key : ""}${options.join(" \\\n  ")}\n`;
}

function quoteShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
