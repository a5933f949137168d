import { hasCurrentToken, jsonLiteral, literal, type Notation, type Value } from "@/lib/snippets/literal";
import {
  API_TOKEN_VARIABLE,
  CURRENT_TOKEN_VARIABLE,
  KEY_NOTE,
  type ProgramRequest,
  readsToken,
  toPascalCase,
} from "@/lib/snippets/request";

/** JSON between backquotes. */
const goJson: Notation = {
  ...jsonLiteral,
  string: (text) => jsonLiteral.string(text).replaceAll("`", "\\u0060"),
  currentToken: '"%s"',
};

/** The call with net/http. */
export function goNetHttp(request: ProgramRequest): string {
  const { hasKey, isPublic = false, method, url, body, token } = request;
  const imports = [
    ...(hasKey ? ["crypto/rand"] : []),
    ...(token ? ["encoding/json"] : []),
    "fmt",
    "io",
    "log",
    "net/http",
    ...(readsToken(request) ? ["os"] : []),
    ...(body === undefined ? [] : ["strings"]),
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
${body === undefined ? "" : `\tbody := ${bodyOf(body)}\n`}	request, err := http.NewRequest(http.Method${method.at(0)}${method.slice(1).toLowerCase()}, "${url}", ${body === undefined ? "nil" : "strings.NewReader(body)"})
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

function bodyOf(body: Value): string {
  const json = `\`${literal(body, goJson)}\``;
  return hasCurrentToken(body) ? `fmt.Sprintf(${json}, os.Getenv("${CURRENT_TOKEN_VARIABLE}"))` : json;
}

function member(token: readonly string[]): string {
  return `	var answer struct {
${answerType(token)}
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.${token.map(toPascalCase).join(".")})
`;
}

/** Fields of the answer, down to the token. */
function answerType([name = "", ...inner]: readonly string[], indent = "\t\t"): string {
  const type = inner.length > 0 ? `struct {\n${answerType(inner, `${indent}\t`)}\n${indent}}` : "string";
  return `${indent}${toPascalCase(name)} ${type} \`json:"${name}"\``;
}

const KEY = `	// ${KEY_NOTE}
	key := make([]byte, 16)
	if _, err := rand.Read(key); err != nil {
		log.Fatal(err)
	}
	request.Header.Set("Idempotency-Key", fmt.Sprintf("%x", key))
`;
