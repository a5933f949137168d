import { hex, jsonLiteral, literal, type Notation, quoteDouble } from "@/lib/snippets/literal";
import { API_TOKEN_VARIABLE, CURRENT_TOKEN_VARIABLE, KEY_NOTE, type SnippetRequest } from "@/lib/snippets/request";

/** In single quotes, the usual style, if all characters are visible. */
const string = (text: string) => {
  const quoted = quoteDouble(text, (code) => `\\u{${hex(code, 1)}}`, /\$/g);
  return /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text) ? quoted : `'${text.replace(/['\\]/g, "\\$&")}'`;
};

const php: Notation = {
  ...jsonLiteral,
  string,
  member: (name, value) => `${string(name)} => ${value}`,
  // An array that is empty or has numeric keys would become a JSON list.
  object: (names) => ({
    open: names.every((name) => !/^\d+$/.test(name)) && names.length > 0 ? "[" : "(object) [",
    close: "]",
  }),
  currentToken: `getenv('${CURRENT_TOKEN_VARIABLE}')`,
  indent: "    ",
  trailingComma: true,
};

/** The call with PHP's curl. */
export function phpCurl({ hasKey, method, url, body, token }: SnippetRequest): string {
  return `<?php

declare(strict_types=1);

$body = ${literal(body, php)};
$curl = curl_init(${string(url)});
curl_setopt_array($curl, [
    CURLOPT_CUSTOMREQUEST => '${method}',
    CURLOPT_HTTPHEADER => [
        'Authorization: Token ' . getenv('${API_TOKEN_VARIABLE}'),
        'Content-Type: application/json',
${hasKey ? `        // ${KEY_NOTE}\n        'Idempotency-Key: ' . bin2hex(random_bytes(16)),\n` : ""}    ],
    CURLOPT_POSTFIELDS => json_encode($body, JSON_THROW_ON_ERROR),
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_TIMEOUT => 10,
]);
$text = curl_exec($curl);
if ($text === false) {
    throw new RuntimeException(curl_error($curl));
}
$status = curl_getinfo($curl, CURLINFO_RESPONSE_CODE);
if ($status !== 200) {
    throw new RuntimeException("$status: $text");
}
$answer = json_decode($text, flags: JSON_THROW_ON_ERROR);
echo $answer->${token.join("->")}, PHP_EOL;
`;
}
