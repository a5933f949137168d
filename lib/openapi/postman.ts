import type { oas31 } from "zod-openapi";
import type { DescribedOperation } from "@/lib/openapi/for-generators";

const SCHEMA = "https://schema.getpostman.com/json/collection/v2.1.0/collection.json";
const METHODS = ["get", "put", "patch", "post", "delete"] as const;

interface Field {
  key: string;
  value: string;
  description?: string;
  /** off by default */
  disabled?: true;
}

/** The Postman collection (format 2.1) of an OpenAPI description: a folder per tag, a request per call. */
export function toPostman(api: oas31.OpenAPIObject) {
  return {
    info: { name: api.info.title, description: api.info.description, schema: SCHEMA },
    auth: {
      type: "apikey",
      apikey: [
        { key: "in", value: "header", type: "string" },
        { key: "key", value: "Authorization", type: "string" },
        { key: "value", value: "Token {{api_token}}", type: "string" },
      ],
    },
    variable: [
      { key: "base_url", value: "http://localhost:3000", type: "string" },
      { key: "api_token", value: "", type: "secret" },
      { key: "user_group_token", value: "", type: "secret" },
      { key: "team_id", value: "3", type: "string" },
      { key: "import_id", value: "1", type: "string" },
      { key: "webhook_id", value: "1", type: "string" },
    ],
    item: api.tags?.map(({ name, description }) => ({
      name,
      description,
      item: Object.entries(api.paths ?? {}).flatMap(([path, methods]) =>
        METHODS.flatMap((method) => {
          const operation = methods[method];
          return operation?.tags?.includes(name) ? requests(method.toUpperCase(), path, operation) : [];
        }),
      ),
    })),
  };
}

function requests(method: string, path: string, operation: DescribedOperation) {
  const { summary = "", description, parameters = [], security } = operation;
  const requestBody = operation.requestBody ?? operation["x-request-body"];
  const body = requestBody && "content" in requestBody ? firstExample(requestBody.content) : undefined;
  const plain = parameters.filter((parameter) => "name" in parameter);
  const header = fields(plain, "header").map((field) => ({ ...field, disabled: true as const }));
  const query = fields(plain, "query");
  const common = { method, description, ...(security?.length === 0 && { auth: { type: "noauth" } }) };
  const withBody = {
    name: summary,
    // Otherwise Postman drops the body of a GET.
    ...(method === "GET" && body !== undefined && { protocolProfileBehavior: { disableBodyPruning: true } }),
    request: {
      ...common,
      header: [...(body === undefined ? [] : [{ key: "Content-Type", value: "application/json" }]), ...header],
      url: url(path),
      ...(body !== undefined && {
        body: { mode: "raw", raw: inVariables(JSON.stringify(body, null, 2)), options: { raw: { language: "json" } } },
      }),
    },
    response: [],
  };
  if (query.length === 0) return [withBody];
  if (body === undefined) {
    const required = new Set(plain.flatMap(({ name, required }) => (required ? [name] : [])));
    const offered = query.map((field) => (required.has(field.key) ? field : { ...field, disabled: true as const }));
    return [{ ...withBody, request: { ...withBody.request, url: url(path, offered) } }];
  }
  const asQuery = {
    name: `${summary}, as a query`,
    request: { ...common, header, url: url(path, query) },
    response: [],
  };
  return [withBody, asQuery];
}

function fields(parameters: oas31.ParameterObject[], place: oas31.ParameterLocation): Field[] {
  return parameters
    .filter((parameter) => parameter.in === place)
    .map(({ name, description, schema = {} }) => {
      const [example] = "examples" in schema ? (schema.examples ?? []) : [];
      // A list repeats its parameter.
      const one: unknown = "type" in schema && schema.type === "array" && Array.isArray(example) ? example[0] : example;
      const written = typeof one === "string" ? one : (JSON.stringify(one) ?? "");
      const value = name === "webhook_id" ? "{{webhook_id}}" : written;
      return { key: name, value, ...(description !== undefined && { description }) };
    });
}

/** The first example of a request; a user group token in it becomes a variable. */
function firstExample(content: oas31.ContentObject): unknown {
  const [example] = Object.values(content["application/json"]?.examples ?? {});
  if (!example || !("value" in example)) return undefined;
  return JSON.parse(JSON.stringify(example.value).replaceAll("ugt_…", "{{user_group_token}}"));
}

/** The numbers of the group, the import and the webhook as variables. */
function inVariables(body: string): string {
  return body
    .replace(/("team_ids?": )(?:3|\[\s*3\s*\])/g, (_, key) =>
      key.includes("ids") ? `${key}[{{team_id}}]` : `${key}{{team_id}}`,
    )
    .replace('"import_id": 7', '"import_id": {{import_id}}')
    .replace('"webhook_id": 1', '"webhook_id": {{webhook_id}}');
}

function url(described: string, query?: Field[]) {
  const path = described
    .replace("{id}", "{{import_id}}")
    .replace("{n}", "0")
    .replace("{slug}", "testing")
    .replace("{template}", "cube");
  const enabled = (query ?? []).filter(({ disabled }) => !disabled);
  const search = enabled.length > 0 ? `?${enabled.map(({ key, value }) => `${key}=${value}`).join("&")}` : "";
  return {
    raw: `{{base_url}}${path}${search}`,
    host: ["{{base_url}}"],
    path: path.slice(1).split("/"),
    ...(query && { query }),
  };
}
