import { hex, jsonLiteral, literal, type Notation, UNSEEN } from "@/lib/snippets/literal";
import {
  API_TOKEN_VARIABLE,
  CURRENT_TOKEN_VARIABLE,
  KEY_NOTE,
  type ProgramRequest,
  readsToken,
} from "@/lib/snippets/request";

const python: Notation = {
  ...jsonLiteral,
  string: (text) =>
    JSON.stringify(text).replace(UNSEEN, (one) => {
      const code = one.codePointAt(0) ?? 0;
      return code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`;
    }),
  words: { null: "None", true: "True", false: "False" },
  currentToken: `os.environ["${CURRENT_TOKEN_VARIABLE}"]`,
  indent: "    ",
  trailingComma: true,
};

const membersOf = (path: readonly string[]) => path.map((name) => `["${name}"]`).join("");

/** The call with the standard library. */
export function pythonStandard(request: ProgramRequest): string {
  const { hasKey, isPublic = false, method, url, body } = request;
  const imports = [
    ...(request.isText ? [] : ["json"]),
    ...(readsToken(request) ? ["os"] : []),
    "sys",
    "urllib.error",
    "urllib.request",
    ...(hasKey ? ["uuid"] : []),
  ];
  const headers = [
    ...(isPublic ? [] : [`"Authorization": f"Token {os.environ['${API_TOKEN_VARIABLE}']}",`]),
    ...(body === undefined ? [] : ['"Content-Type": "application/json",']),
    ...(hasKey ? ['"Idempotency-Key": key,'] : []),
  ];
  return `${imports.map((name) => `import ${name}\n`).join("")}
${hasKey ? `# ${KEY_NOTE}\nkey = str(uuid.uuid4())\n\n` : ""}${body === undefined ? "" : `body = ${literal(body, python)}\n`}request = urllib.request.Request(
    ${python.string(url)},
    method="${method}",
${headers.length === 0 ? "" : `    headers={\n${headers.map((line) => `        ${line}\n`).join("")}    },\n`}${body === undefined ? "" : "    data=json.dumps(body).encode(),\n"})
try:
    with urllib.request.urlopen(request, timeout=10) as response:
        answer = ${request.isText ? "response.read().decode()" : "json.load(response)"}
except urllib.error.HTTPError as error:
    sys.exit(f"{error.code}: {error.read().decode()}")
print(${printed(request)})
`;
}

function printed({ isText, token }: ProgramRequest): string {
  if (token) return `answer${membersOf(token)}`;
  return isText ? 'answer, end=""' : "json.dumps(answer, indent=2)";
}
