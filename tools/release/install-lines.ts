import { readdirSync } from "node:fs";
import { version } from "@/lib/config/version";

/** Whether npm and PyPI have our clients. Until then, documents name release files; `npm run openapi` updates them. */
const ARE_PUBLISHED = false;

/** The argument of an installer in documents, the published name, and the file. */
const CLIENTS: [shown: RegExp, name: string, file: string][] = [
  [
    /(?<=npm install )(?:@user-groups\/client|\.\/user-groups-client-\S+\.tgz)(?![\w-])/g,
    "@user-groups/client",
    `./user-groups-client-${version()}.tgz`,
  ],
  [
    /(?<=pip install )(?:user-groups-client|\.\/user_groups_client-\S+\.whl)(?![\w-])/g,
    "user-groups-client",
    `./user_groups_client-${version()}-py3-none-any.whl`,
  ],
];

/** The documents that may install a client. */
export function installingDocuments(): string[] {
  const docs = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  return ["clients/typescript/README.md", "clients/python/README.md", ...docs.map((name) => `docs/${name}`)];
}

/** A document with install lines for the place where our clients are. */
export function withInstallLines(text: string): string {
  return CLIENTS.reduce((done, [shown, name, file]) => done.replaceAll(shown, ARE_PUBLISHED ? name : file), text);
}
