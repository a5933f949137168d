import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseEnv } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { anchorsOf } from "@/e2e/fixtures/anchors";
import { urlProblem } from "@/lib/config/database-url";
import { env, VARIABLES } from "@/lib/config/env";

// Files that no other test reads or runs.

const read = (file: string) => readFileSync(file, "utf8");
const ISSUE_FORMS = ".github/ISSUE_TEMPLATE";
/** A value taken only from the environment, possibly inside a database URL. */
const SECRET =
  /^(?:postgresql:\/\/user_groups(?:_runtime)?:)?\$\{[A-Z_]+(?::\?[^}]+|:-)\}(?:@postgres:5432\/user_groups)?$/;
/** Set by the commands themselves. */
const CONFIGURED = VARIABLES.filter((name) => name !== "NODE_ENV").sort();

describe("variables", () => {
  test(".env.example lists each, in a form that shells can read too", () => {
    const lines = read(".env.example")
      .split("\n")
      .filter((line) => line !== "" && !line.startsWith("#"));
    expect(lines.filter((line) => !/^[A-Z_]+=(?:[^\s'"$`]*|"[^"$`]*")$/.test(line))).toEqual([]);
    expect(lines.map((line) => line.split("=")[0]).sort()).toEqual(CONFIGURED);
  });

  test(".env.example works unchanged, with the documented defaults", () => {
    for (const [name, value] of Object.entries(parseEnv(read(".env.example")))) vi.stubEnv(name, value);
    const { DATABASE_URL, PORT, HOST, OIDC_NAME, TRUSTED_PROXIES } = env();
    const expected = [undefined, 3000, "127.0.0.1", "Single sign-on", 0];
    expect([DATABASE_URL, PORT, HOST, OIDC_NAME, TRUSTED_PROXIES]).toEqual(expected);
    vi.unstubAllEnvs();
  });

  test("the database URLs in .env.example are accepted at startup", () => {
    const shown = read(".env.example").match(/postgresql:\/\/[^\s;]+/g) ?? [];
    expect(shown.length).toBeGreaterThan(0);
    for (const url of shown) expect(urlProblem(url), url).toBeUndefined();
  });

  test("docs/operations.md lists each, first the five that matter", () => {
    const sections = read("docs/operations.md").split(/^## /m);
    const [first = [], others = []] = ["Five variables", "Rarely needed"].map((title) => {
      const lines = sections.find((text) => text.startsWith(`${title}\n`))?.match(/^- \**`[A-Z][^(:]*/gm) ?? [];
      return lines.flatMap((line) => line.match(/[A-Z][A-Z_]+/g) ?? []);
    });
    expect(first).toEqual(["DATABASE_URL", "DATABASE_OWNER_URL", "SECRET_KEY", "PUBLIC_URL", "TRUSTED_PROXIES"]);
    expect([...first, ...others].sort()).toEqual(CONFIGURED);
  });

  test("every secret in .env.example is marked and empty", () => {
    const secrets = [...read(".env.example").matchAll(/^# secret.*\n([A-Z_]+)=(.*)$/gm)];
    expect(secrets.map(([, name]) => name).sort()).toEqual([
      "ADMIN_PASSWORD",
      "API_TOKEN",
      "DATABASE_OWNER_URL",
      "DATABASE_URL",
      "METRICS_TOKEN",
      "OIDC_CLIENT_SECRET",
      "PREVIOUS_SECRET_KEY",
      "SECRET_KEY",
    ]);
    expect(secrets.filter(([, , value]) => value !== "")).toEqual([]);
  });
});

describe("compose.yaml", () => {
  const service = z.object({
    image: z.string(),
    environment: z.record(z.string(), z.string()),
    ports: z.array(z.string()).default([]),
    user: z.string().optional(),
    read_only: z.boolean(),
    tmpfs: z.array(z.string()),
    cap_drop: z.array(z.string()),
    cap_add: z.array(z.string()).default([]),
    security_opt: z.array(z.string()),
    pids_limit: z.number(),
    mem_limit: z.string(),
    privileged: z.undefined().optional(),
  });
  const compose = z
    .object({ services: z.object({ service, migrate: service, backup: service, postgres: service }) })
    .parse(parse(read("compose.yaml")));
  const { service: ours, migrate, backup, postgres } = compose.services;

  test("no secret has a default", () => {
    const values = Object.values(compose.services).flatMap(({ environment }) => Object.entries(environment));
    const secrets = values.filter(([name]) => /KEY$|TOKEN$|PASSWORD|CLIENT_SECRET|DATABASE_URL/.test(name));
    expect(secrets.length).toBeGreaterThan(5);
    for (const [name, value] of secrets) expect(value, name).toMatch(SECRET);
    for (const name of ["SECRET_KEY", "DATABASE_URL"]) expect(ours.environment[name]).toMatch(/\$\{[A-Z_]+:\?/);
  });

  test("each secret is marked, and the service receives every variable except the image's", () => {
    const marked = [...read("compose.yaml").matchAll(/# secret.*\n\s+([A-Z_]+):/g)].map(([, name]) => name);
    expect(marked.sort()).toEqual([
      "ADMIN_PASSWORD",
      "API_TOKEN",
      "DATABASE_OWNER_URL",
      "DATABASE_URL",
      "DATABASE_URL",
      "METRICS_TOKEN",
      "OIDC_CLIENT_SECRET",
      "PGPASSWORD",
      "POSTGRES_PASSWORD",
      "PREVIOUS_SECRET_KEY",
      "SECRET_KEY",
    ]);
    const image = ["DATA_DIR", "BACKUP_DIR", "HOST", "PORT", "DATABASE_OWNER_URL"];
    expect(Object.keys(ours.environment).sort()).toEqual(CONFIGURED.filter((name) => !image.includes(name)));
  });

  test("no service can gain a capability, change its image or exhaust the machine", () => {
    for (const [name, hardened] of Object.entries(compose.services)) {
      expect(hardened, name).toMatchObject({ read_only: true, cap_drop: ["ALL"], cap_add: [] });
      expect(hardened.security_opt, name).toContain("no-new-privileges:true");
      expect(hardened.pids_limit, name).toBeLessThanOrEqual(512);
      expect(hardened.mem_limit, name).toBe("2g");
    }
    // As root, the image would need five capabilities before it switches to this user.
    for (const { user } of [postgres, backup]) expect(user).toBe("postgres");
    expect(postgres.tmpfs).toContain("/var/run/postgresql");
  });

  test("the service does not get the superuser's password, and serves as the role created by the migration", () => {
    expect(JSON.stringify(ours.environment)).not.toMatch(/POSTGRES_PASSWORD|DATABASE_OWNER_URL/);
    expect(ours.environment.DATABASE_URL).toBe(migrate.environment.DATABASE_URL);
    expect(migrate.environment.DATABASE_OWNER_URL).toContain(`//${postgres.environment.POSTGRES_USER}:`);
  });

  test("images are pinned to this version, and the dump uses its server's image", () => {
    const { version } = JSON.parse(read("package.json"));
    const image = `\${IMAGE:-user-group-service}:\${VERSION:-${version}}`;
    expect([ours.image, migrate.image]).toEqual([image, image]);
    expect(postgres.image).toMatch(/^postgres:\d+$/);
    expect(backup.image).toBe(postgres.image);
    expect(backup.environment).toMatchObject({
      PGUSER: postgres.environment.POSTGRES_USER,
      PGDATABASE: postgres.environment.POSTGRES_DB,
    });
  });

  test("CI starts it with every required variable", () => {
    const required = new Set([...read("compose.yaml").matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name));
    const steps = z.array(z.object({ run: z.string().default(""), env: z.record(z.string(), z.string()).default({}) }));
    const { jobs } = parse(read(".github/workflows/ci.yml"));
    const starts = steps.parse(jobs.image.steps).filter(({ run }) => run.startsWith("docker compose"));
    expect(starts.length).toBeGreaterThan(1);
    for (const { env } of starts) expect(Object.keys(env)).toEqual(expect.arrayContaining([...required]));
  });

  test("ports are bound to this machine only", () => {
    expect(ours.ports.filter((port) => !port.startsWith("127.0.0.1:"))).toEqual([]);
    expect(postgres.ports).toEqual([]);
  });
});

test("nginx refuses unknown hosts on every port", () => {
  const servers = read("deploy/nginx.conf").match(/^server \{.*?^\}/gms) ?? [];
  const ports = (text: string) => [...text.matchAll(/listen (\d+)/g)].map(([, port]) => port);
  const [refusing, ...others] = servers.sort(
    (a, b) => Number(b.includes("default_server")) - Number(a.includes("default_server")),
  );
  for (const port of others.flatMap(ports)) expect(refusing).toMatch(new RegExp(`listen ${port}[^;]* default_server;`));
  expect(refusing).toMatch(/ssl_reject_handshake on;/);
  expect(refusing).toMatch(/return 444;/);
  expect(others.filter((server) => server.includes("default_server"))).toEqual([]);
});

describe("the workflow", () => {
  const step = z.object({ uses: z.string().optional(), run: z.string().optional() });
  const job = z.object({
    steps: z.array(step),
    strategy: z.object({ matrix: z.unknown() }).optional(),
    permissions: z.undefined().optional(),
  });
  const workflow = z
    .object({ permissions: z.record(z.string(), z.string()), jobs: z.record(z.string(), job) })
    .parse(parse(read(".github/workflows/ci.yml")));
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps);

  test("runs the documented commands: a push on the oldest and newest Node and PostgreSQL, weekly on all", () => {
    const matrix = String(workflow.jobs.test?.strategy?.matrix);
    expect([...matrix.matchAll(/'(\{.*?\})'/g)].map(([, json = ""]) => JSON.parse(json))).toEqual([
      { node: [20, 22, 24], postgres: [15, 16, 17, 18] },
      {
        include: [
          { node: 20, postgres: 15 },
          { node: 24, postgres: 18 },
        ],
      },
    ]);
    const runs = workflow.jobs.test?.steps.map(({ run }) => run);
    expect(runs).toEqual(expect.arrayContaining(["npm ci", "npm test"]));
  });

  test("can only read the sources, and pins its actions by commit", () => {
    expect(workflow.permissions).toEqual({ contents: "read" });
    const actions = steps.flatMap(({ uses }) => uses ?? []);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => !/^actions\/[\w-]+@[0-9a-f]{40}$/.test(action))).toEqual([]);
    const lines = read(".github/workflows/ci.yml").match(/uses: .*/g) ?? [];
    expect(lines.filter((line) => !/ # v\d+\.\d+\.\d+$/.test(line))).toEqual([]);
  });
});

describe("issue forms", () => {
  const forms = readdirSync(ISSUE_FORMS).filter((name) => name !== "config.yml");
  const element = z.object({
    type: z.enum(["markdown", "textarea", "input", "dropdown", "checkboxes"]),
    id: z.string().optional(),
    attributes: z.object({ label: z.string().optional(), value: z.string().optional() }),
  });
  const form = z.strictObject({
    name: z.string(),
    description: z.string(),
    labels: z.array(z.string()),
    body: z.array(element).min(1),
  });

  test.each(forms)("%s is valid", (name) => {
    const { body } = form.parse(parse(read(path.join(ISSUE_FORMS, name))));
    const asked = body.filter(({ type }) => type !== "markdown");
    expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
    expect(asked.filter(({ id, attributes }) => !id || !attributes.label)).toEqual([]);
  });

  test("vulnerabilities are directed to a private report", () => {
    const { contact_links } = parse(read(path.join(ISSUE_FORMS, "config.yml")));
    expect(contact_links[0].about).toContain("SECURITY.md");
  });
});

test("coupled packages are updated together, and packages requiring a newer Node are held back", () => {
  const { packageRules } = JSON.parse(read(".github/renovate.json"));
  const { dependencies, devDependencies } = JSON.parse(read("package.json"));
  const pinned = { ...dependencies, ...devDependencies };
  const rule = (name: string) =>
    packageRules.find(({ groupName, matchPackageNames }: Record<string, string>) =>
      [groupName, ...(matchPackageNames ?? [])].includes(name),
    );
  for (const name of rule("prisma").matchPackageNames) expect(pinned[name], name).toMatch(/^7\.10\.0/);
  expect(rule("better-auth").allowedVersions).toBe(`<=${pinned["better-auth"]}`);
  expect(Number.parseInt(pinned.vitest, 10)).toBeLessThan(Number(rule("vitest").allowedVersions.slice(1)));
});

test("the development container's JSON is valid, and its files exist", () => {
  const { build } = JSON.parse(read(".devcontainer/devcontainer.json"));
  expect(existsSync(path.join(".devcontainer", build.dockerfile))).toBe(true);
});

test("links in the documents point to existing files and headings", () => {
  const docs = readdirSync("docs", { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".md"));
  const documents = [
    "README.md",
    ".github/CONTRIBUTING.md",
    "CHANGELOG.md",
    "SECURITY.md",
    "clients/typescript/README.md",
    "clients/python/README.md",
    ...docs.map((name) => path.join("docs", name)),
  ];
  const links = documents.flatMap((document) =>
    [...read(document).matchAll(/(?:\]\(|src(?:set)?=")([^)\s"]+)/g)].map(([, link = ""]) => [document, link] as const),
  );
  const ours = links.filter(([, link]) => !/^[a-z]+:/.test(link));
  expect(ours.length).toBeGreaterThan(100);
  const leadsNowhere = ([document, link]: readonly [string, string]) => {
    const [file = "", anchor] = link.split("#");
    const target = file ? path.join(path.dirname(document), file) : document;
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
  };
  expect(ours.filter(leadsNowhere)).toEqual([]);
});

const ANALYZER = "/usr/bin/systemd-analyze";

describe.skipIf(!existsSync(ANALYZER))("the systemd unit", { meta: { skipped: "needs systemd-analyze" } }, () => {
  const unit = "deploy/user-group-service.service";
  const analyze = (...args: string[]) => execFileSync(ANALYZER, args, { encoding: "utf8", stdio: "pipe" });

  test("is valid for systemd", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "user-groups-unit-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // systemd-analyze checks that the program exists.
    const here = path.join(folder, path.basename(unit));
    writeFileSync(here, read(unit).replace("=/opt/user-group-service/user-groups", `=${path.resolve("user-groups")}`));
    expect(() => analyze("verify", "--man=no", here)).not.toThrow();
  });

  test("restricts the service to the permissions it needs", () => {
    // From 0 (fully confined) to 10.
    expect(() => analyze("security", "--offline=yes", "--threshold=20", unit)).not.toThrow();
  });
});
