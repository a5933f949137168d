import { jsonLiteral, literal, type Notation } from "@/lib/snippets/literal";
import {
  API_TOKEN_VARIABLE,
  CURRENT_TOKEN_VARIABLE,
  KEY_NOTE,
  type ProgramRequest,
  readsToken,
} from "@/lib/snippets/request";

const javascript: Notation = {
  ...jsonLiteral,
  name(name) {
    // Written plainly, it would set the prototype.
    if (name === "__proto__") return '["__proto__"]';
    return /^[A-Za-z_$][\w$]*$/.test(name) ? name : jsonLiteral.string(name);
  },
  currentToken: `env.${CURRENT_TOKEN_VARIABLE}`,
  padded: true,
  trailingComma: true,
};

/** The call with `fetch`. */
export function typescript(request: ProgramRequest): string {
  const { isText, token } = request;
  if (isText) return `${fetching(request)}\nconsole.log(await response.text());\n`;
  if (!token) {
    return `${fetching(request)}
const answer = await response.json();
console.log(JSON.stringify(answer, null, 2));
`;
  }
  const type = token.reduceRight((inner, name) => `{ ${name}: ${inner} }`, "string");
  return `${fetching(request)}
const answer = (await response.json()) as ${type};
console.log(answer.${token.join(".")});
`;
}

function fetching(request: ProgramRequest): string {
  const { hasKey, isPublic = false, body } = request;
  // fetch sends no body with GET.
  const isBodyLost = request.method === "GET" && body !== undefined;
  const [method, url] = isBodyLost ? ["POST", `${request.url}/get-or-create`] : [request.method, request.url];
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
  return `${imports.join("")}${imports.length > 0 ? "\n" : ""}${key}const response = await fetch("${url}", {
${options.map((line) => `  ${line}\n`).join("")}});
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`);`;
}
