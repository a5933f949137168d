import { hex, jsonLiteral, literal, type Notation, quoteDouble } from "@/lib/snippets/literal";
import { API_TOKEN_VARIABLE, CURRENT_TOKEN_VARIABLE, KEY_NOTE, type SnippetRequest } from "@/lib/snippets/request";

const string = (text: string) =>
  quoteDouble(text, (code) => (code > 0xffff ? `\\U${hex(code, 8)}` : `\\u${hex(code, 4)}`));

const python: Notation = {
  ...jsonLiteral,
  string,
  member: (name, value) => `${string(name)}: ${value}`,
  words: { null: "None", true: "True", false: "False" },
  currentToken: `os.environ["${CURRENT_TOKEN_VARIABLE}"]`,
  indent: "    ",
  trailingComma: true,
};

const membersOf = (path: readonly string[]) => path.map((name) => `["${name}"]`).join("");

/** The call with requests. */
export function pythonRequests({ isRotation, method, url, body, token }: SnippetRequest): string {
  return `import os
import sys
${isRotation ? "import uuid\n" : ""}
import requests

${isRotation ? `# ${KEY_NOTE}\nkey = str(uuid.uuid4())\n\n` : ""}response = requests.${method.toLowerCase()}(
    ${string(url)},
    headers={
        "Authorization": f"Token {os.environ['${API_TOKEN_VARIABLE}']}",${isRotation ? '\n        "Idempotency-Key": key,' : ""}
    },
    json=${literal(body, python, 1)},
    timeout=10,
)
if not response.ok:
    sys.exit(f"{response.status_code}: {response.text}")
print(response.json()${membersOf(token)})
`;
}

/** The call with the standard library. */
export function pythonStandard({ isRotation, method, url, body, token }: SnippetRequest): string {
  return `import json
import os
import sys
import urllib.error
import urllib.request
${isRotation ? "import uuid\n" : ""}
${isRotation ? `# ${KEY_NOTE}\nkey = str(uuid.uuid4())\n\n` : ""}body = ${literal(body, python)}
request = urllib.request.Request(
    ${string(url)},
    method="${method}",
    headers={
        "Authorization": f"Token {os.environ['${API_TOKEN_VARIABLE}']}",
        "Content-Type": "application/json",${isRotation ? '\n        "Idempotency-Key": key,' : ""}
    },
    data=json.dumps(body).encode(),
)
try:
    with urllib.request.urlopen(request, timeout=10) as response:
        answer = json.load(response)
except urllib.error.HTTPError as error:
    sys.exit(f"{error.code}: {error.read().decode()}")
print(answer${membersOf(token)})
`;
}
