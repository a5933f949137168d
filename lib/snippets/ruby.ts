import { hex, jsonLiteral, literal, type Notation, quoteDouble } from "@/lib/snippets/literal";
import { API_TOKEN_VARIABLE, CURRENT_TOKEN_VARIABLE, KEY_NOTE, type SnippetRequest } from "@/lib/snippets/request";

const string = (text: string) => quoteDouble(text, (code) => `\\u{${hex(code, 1)}}`, /#(?=[{$@])/g);

const ruby: Notation = {
  ...jsonLiteral,
  string,
  member: (name, value) => (/^[a-z_]\w*$/.test(name) ? `${name}: ${value}` : `${string(name)} => ${value}`),
  words: { null: "nil", true: "true", false: "false" },
  currentToken: `ENV.fetch("${CURRENT_TOKEN_VARIABLE}")`,
  padded: true,
};

const CLASSES = { GET: "Get", PUT: "Put", POST: "Post" };

/** The call with net/http. */
export function rubyNetHttp({ hasKey, method, url, body, token }: SnippetRequest): string {
  return `require "json"
require "net/http"
${hasKey ? 'require "securerandom"\n' : ""}
uri = URI(${string(url)})
request = Net::HTTP::${CLASSES[method]}.new(uri)
request["Authorization"] = "Token #{ENV.fetch("${API_TOKEN_VARIABLE}")}"
request["Content-Type"] = "application/json"
${hasKey ? `# ${KEY_NOTE}\nrequest["Idempotency-Key"] = SecureRandom.uuid\n` : ""}request.body = JSON.generate(${literal(body, ruby)})

options = { use_ssl: uri.scheme == "https", open_timeout: 10, read_timeout: 10 }
response = Net::HTTP.start(uri.host, uri.port, options) { |http| http.request(request) }
abort "#{response.code}: #{response.body}" unless response.is_a?(Net::HTTPSuccess)
puts JSON.parse(response.body).dig(${token.map(string).join(", ")})
`;
}
