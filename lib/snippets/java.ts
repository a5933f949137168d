import { hasCurrentToken, hex, jsonLiteral, literal, type Notation, type Value } from "@/lib/snippets/literal";
import { API_TOKEN_VARIABLE, CURRENT_TOKEN_VARIABLE, KEY_NOTE, type ProgramRequest } from "@/lib/snippets/request";

// Before Java 18 the compiler uses the machine's encoding, so escape non-ASCII characters in JSON.
const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);

const javaJson: Notation = { ...jsonLiteral, string: (text) => ascii(jsonLiteral.string(text)), currentToken: '"%s"' };

/** The call with the JDK's HttpClient; the JDK has no JSON parser. */
export function java({ name, hasKey, isPublic = false, method, url, body, token }: ProgramRequest): string {
  const headers = [
    ...(isPublic ? [] : [`.header("Authorization", "Token " + System.getenv("${API_TOKEN_VARIABLE}"))`]),
    ...(body === undefined ? [] : ['.header("Content-Type", "application/json")']),
    ...(hasKey ? [`// ${KEY_NOTE}`, '.header("Idempotency-Key", UUID.randomUUID().toString())'] : []),
  ];
  const note = token && `        // The JDK has no JSON parser: use Jackson or Gson to read ${token.join(".")}.\n`;
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
${hasKey ? "import java.util.UUID;\n" : ""}
public class ${name} {
    public static void main(String[] args) throws Exception {
${body === undefined ? "" : textBlock(body)}        var request = HttpRequest.newBuilder(URI.create("${url}"))
            .timeout(Duration.ofSeconds(10))
${headers.map((line) => `            ${line}\n`).join("")}            .method("${method}", HttpRequest.BodyPublishers.${body === undefined ? "noBody()" : "ofString(body)"})
            .build();

        var client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            System.err.println(response.statusCode() + ": " + response.body());
            System.exit(1);
        }
${note ?? ""}        System.out.println(response.body());
    }
}
`;
}

function textBlock(body: Value): string {
  const lines = literal(body, javaJson).replaceAll("\\", "\\\\").replaceAll("\n", "\n            ");
  return `        var body = """
            ${lines}
            """${hasCurrentToken(body) ? `.formatted(System.getenv("${CURRENT_TOKEN_VARIABLE}"))` : ""};
`;
}
