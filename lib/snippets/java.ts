import { hex, jsonLiteral, literal, type Notation } from "@/lib/snippets/literal";
import { API_TOKEN_VARIABLE, CURRENT_TOKEN_VARIABLE, KEY_NOTE, type SnippetRequest } from "@/lib/snippets/request";

// Before Java 18 the compiler uses the machine's encoding, so escape beyond ASCII for JSON.
const ascii = (text: string) => text.replace(/[^\x20-\x7e]/g, (character) => `\\u${hex(character.charCodeAt(0), 4)}`);

const javaJson: Notation = {
  ...jsonLiteral,
  string: (text) => ascii(jsonLiteral.string(text)),
  member: (name, value) => `${ascii(jsonLiteral.string(name))}: ${value}`,
  currentToken: '"%s"',
};

const NAMES = { getOrCreate: "GetOrCreate", update: "Update", rotate: "Rotate", mint: "ViewerToken" };

/** The call with the JDK's HttpClient; the JDK has no JSON parser. */
export function java({ call, isRotation, method, url, body, token }: SnippetRequest): string {
  return `import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
${isRotation ? "import java.util.UUID;\n" : ""}
public class ${NAMES[call]} {
    public static void main(String[] args) throws Exception {
        var body = """
            ${literal(body, javaJson).replaceAll("\\", "\\\\").replaceAll("\n", "\n            ")}
            """${isRotation ? `.formatted(System.getenv("${CURRENT_TOKEN_VARIABLE}"))` : ""};
        var request = HttpRequest.newBuilder(URI.create("${url}"))
            .timeout(Duration.ofSeconds(10))
            .header("Authorization", "Token " + System.getenv("${API_TOKEN_VARIABLE}"))
            .header("Content-Type", "application/json")
${isRotation ? `            // ${KEY_NOTE}\n            .header("Idempotency-Key", UUID.randomUUID().toString())\n` : ""}            .method("${method}", HttpRequest.BodyPublishers.ofString(body))
            .build();

        var client = HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(10)).build();
        var response = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (response.statusCode() != 200) {
            System.err.println(response.statusCode() + ": " + response.body());
            System.exit(1);
        }
        // The JDK has no JSON parser: use Jackson or Gson to read ${token.join(".")}.
        System.out.println(response.body());
    }
}
`;
}
