import { hex, jsonLiteral, literal, type Notation, quoteDouble } from "@/lib/snippets/literal";
import {
  API_TOKEN_VARIABLE,
  CURRENT_TOKEN_VARIABLE,
  KEY_NOTE,
  type ProgramRequest,
  readsToken,
  type SnippetCall,
} from "@/lib/snippets/request";

const string = (text: string) =>
  quoteDouble(text, (code) => (code > 0xffff ? `\\u{${hex(code, 1)}}` : `\\u${hex(code, 4)}`));

const javascript: Notation = {
  ...jsonLiteral,
  string,
  member(name, value) {
    // Written plainly, it would set the prototype.
    if (name === "__proto__") return `["__proto__"]: ${value}`;
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : string(name)}: ${value}`;
  },
  currentToken: `env.${CURRENT_TOKEN_VARIABLE}`,
  padded: true,
  trailingComma: true,
};

/**
 * The call with `fetch`, printing the whole answer; one about a group with its type, and get-or-create by its POST
 * path, because `fetch` sends no GET with a body.
 */
export function typescript(request: ProgramRequest & { call?: SnippetCall }): string {
  const { call, url } = request;
  if (request.isText) return `${fetching(request)}\nconsole.log(await response.text());\n`;
  if (!call) {
    return `${fetching(request)}
const answer = await response.json();
console.log(JSON.stringify(answer, null, 2));
`;
  }
  const asPost =
    call === "getOrCreate" ? { ...request, method: "POST" as const, url: `${url}/get-or-create` } : request;
  if (call === "mint") {
    return `${fetching(asPost)}
const { viewer_token } = (await response.json()) as { viewer_token: string };
console.log(viewer_token);
`;
  }
  const members = {
    getOrCreate: "properties: Record<string, unknown> | null;",
    update: 'properties: Record<string, unknown> | null;\n  api_environment_tag: "Customer" | "Testing";',
    rotate: 'api_environment_tag: "Customer" | "Testing";',
  };
  return `${fetching(
    asPost,
    `interface UserGroup {
  team_id: number;
  token: string;
  name: string;
  provided_id: string;
  ${members[call]}
}

`,
  )}
const { user_group } = (await response.json()) as { user_group: UserGroup };
console.log(user_group.token);
`;
}

function fetching(request: ProgramRequest, types = ""): string {
  const { hasKey, isPublic = false, method, url, body } = request;
  const imports = [
    ...(hasKey ? ['import { randomUUID } from "node:crypto";\n'] : []),
    ...(readsToken(request) ? ['import { env } from "node:process";\n'] : []),
  ];
  const headers = [
    ...(isPublic ? [] : [`Authorization: \`Token \${env.${API_TOKEN_VARIABLE}}\`,`]),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
    ...(hasKey ? ['"Idempotency-Key": key,'] : []),
  ];
  const options = [
    ...(method === "GET" ? [] : [`method: "${method}",`]),
    ...(headers.length > 1 ? ["headers: {", ...headers.map((line) => `  ${line}`), "},"] : []),
    ...(headers.length === 1 ? [`headers: { ${headers[0]?.slice(0, -1)} },`] : []),
    ...(body === undefined ? [] : [`body: JSON.stringify(${literal(body, javascript, 1)}),`]),
    "signal: AbortSignal.timeout(10_000),",
  ];
  const key = hasKey ? `// ${KEY_NOTE}\nconst key = randomUUID();\n\n` : "";
  return `${imports.join("")}${imports.length > 0 ? "\n" : ""}${types}${key}const response = await fetch(${string(url)}, {
${options.map((line) => `  ${line}\n`).join("")}});
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);`;
}
