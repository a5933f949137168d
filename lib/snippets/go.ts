import { literal, longEscapes, type Notation } from "@/lib/snippets/literal";
import {
  API_TOKEN_VARIABLE,
  CURRENT_TOKEN_VARIABLE,
  KEY_NOTE,
  type ProgramRequest,
  readsToken,
} from "@/lib/snippets/request";

const go: Notation = {
  ...longEscapes,
  object: { open: "map[string]any{", close: "}" },
  array: { open: "[]any{", close: "}" },
  words: { null: "nil", true: "true", false: "false" },
  currentToken: `os.Getenv("${CURRENT_TOKEN_VARIABLE}")`,
  indent: "\t",
  trailingComma: true,
};

/** The call with net/http. */
export function goNetHttp(request: ProgramRequest): string {
  const { hasKey, isPublic = false, method, url, body, token } = request;
  const imports = [
    ...(body === undefined ? [] : ["bytes"]),
    ...(hasKey ? ["crypto/rand"] : []),
    ...(body === undefined && !token ? [] : ["encoding/json"]),
    "fmt",
    "io",
    "log",
    "net/http",
    ...(readsToken(request) ? ["os"] : []),
    "time",
  ];
  const headers = [
    ...(isPublic ? [] : [`"Authorization", "Token "+os.Getenv("${API_TOKEN_VARIABLE}")`]),
    ...(body === undefined ? [] : ['"Content-Type", "application/json"']),
  ];
  return `package main

import (
${imports.map((name) => `\t"${name}"\n`).join("")})

func main() {
${body === undefined ? "" : MARSHALLED.replace("BODY", () => align(literal(body, go, 1)))}	request, err := http.NewRequest(http.Method${method.at(0)}${method.slice(1).toLowerCase()}, ${go.string(url)}, ${body === undefined ? "nil" : "bytes.NewReader(body)"})
	if err != nil {
		log.Fatal(err)
	}
${headers.map((header) => `\trequest.Header.Set(${header})\n`).join("")}${hasKey ? KEY : ""}
	client := &http.Client{Timeout: 10 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%d: %s", response.StatusCode, text)
	}
${token ? member(token) : "\tfmt.Println(string(text))\n"}}
`;
}

const MARSHALLED = `	body, err := json.Marshal(BODY)
	if err != nil {
		log.Fatal(err)
	}
`;

function member(token: readonly string[]): string {
  return `	var answer struct {
${answerType(token)}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.${token.map(exported).join(".")})
`;
}

/** Fields of the answer, down to the token. */
function answerType([name = "", ...inner]: readonly string[], indent = "\t\t"): string {
  const type = inner.length > 0 ? `struct {\n${answerType(inner, `${indent}\t`)}\n${indent}}` : "string";
  return `${indent}${exported(name)} ${type} \`json:"${name}"\``;
}

/** "user_group" as a field that Go reads: "UserGroup". */
function exported(name: string): string {
  return name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const KEY = `	// ${KEY_NOTE}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
`;

/** Aligns the values of neighbouring members, as gofmt does. */
function align(source: string): string {
  const lines = source.split("\n").map((line) => /^(\t+"(?:[^"\\]|\\.)*":) (.*,)$/.exec(line) ?? line);
  return lines
    .map((line, at) => {
      if (typeof line === "string") return line;
      const [, name = "", value] = line;
      let [first, last] = [at, at];
      while (typeof lines[first - 1] === "object") first--;
      while (typeof lines[last + 1] === "object") last++;
      const widths = lines.slice(first, last + 1).map(([, other = ""]) => [...other].length);
      return `${name}${" ".repeat(Math.max(...widths) - [...name].length)} ${value}`;
    })
    .join("\n");
}
