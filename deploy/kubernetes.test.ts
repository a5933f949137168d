import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { z } from "zod";

const FOLDER = "deploy/kubernetes";
const MODELS: Record<string, string> = {
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator/",
  "postgresql.cnpg.io": "@kubernetes-models/cloudnative-pg/",
};

const documentsOf = (file: string) =>
  parseAllDocuments(readFileSync(path.join(FOLDER, file), "utf8")).map((one) => one.toJS());
const { resources, images, labels } = z
  .strictObject({
    apiVersion: z.literal("kustomize.config.k8s.io/v1beta1"),
    kind: z.literal("Kustomization"),
    resources: z.array(z.string()),
    labels: z.array(z.strictObject({ pairs: z.record(z.string(), z.string()), includeTemplates: z.literal(true) })),
    images: z.array(z.strictObject({ name: z.string(), newName: z.string(), newTag: z.string() })),
  })
  .parse(documentsOf("kustomization.yaml")[0]);
const manifests = resources.flatMap(documentsOf);
const kind = (name: string) => manifests.find((manifest) => manifest.kind === name);
const [deployment, job, service, cluster] = ["Deployment", "Job", "Service", "Cluster"].map(kind);
const pods = [deployment, job].map(({ spec }) => spec.template);

interface Manifest {
  apiVersion: string;
  kind: string;
}

/** The module with the published schema of a manifest. */
function modelOf({ apiVersion, kind }: Manifest): string {
  return `${MODELS[apiVersion.split("/")[0] ?? ""] ?? "kubernetes-models/"}${apiVersion}/${kind}`;
}

async function validate(manifest: Manifest) {
  const { [manifest.kind]: Model } = await import(modelOf(manifest));
  new Model(manifest).validate();
}

/** TypeScript's errors for manifests written as literals: the schemas allow unknown fields, which servers drop. */
function compile(...all: Manifest[]): string {
  mkdirSync("node_modules/.cache", { recursive: true });
  const folder = mkdtempSync("node_modules/.cache/manifests-");
  try {
    const file = path.join(folder, "manifests.ts");
    const lines = all.map(
      (one, n) => `export const m${n}: import("${modelOf(one)}").I${one.kind} = ${JSON.stringify(one)};`,
    );
    writeFileSync(file, lines.join("\n"));
    const options = ["--ignoreConfig", "--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck", file];
    execFileSync("node_modules/.bin/tsc", options, { encoding: "utf8", stdio: "pipe" });
    return "";
  } catch (error) {
    return String((error as { stdout: string }).stdout);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("against the published schemas", () => {
  test.each(manifests.map((manifest) => [manifest.kind, manifest]))("%s is valid", async (_, manifest) => {
    await validate(manifest);
  });

  test("no manifest has an unknown field", () => {
    expect(compile(...manifests)).toBe("");
  });

  test("wrong values and unknown fields are detected, also in operator resources", async () => {
    for (const [manifest, field] of [
      [deployment, "replicas"],
      [cluster, "instances"],
    ] as const) {
      const wrong = { ...manifest, spec: { ...manifest.spec, [field]: "2" } };
      await expect(validate(wrong)).rejects.toThrow(`${field} must be integer`);
      const unknown = { ...manifest, spec: { ...manifest.spec, [`${field}s`]: 2 } };
      expect(compile(unknown)).toContain(`'"${field}s"' does not exist`);
    }
  });
});

describe("kustomize", () => {
  test("lists each file, and sets the image's name and version", () => {
    expect(["kustomization.yaml", ...resources].sort()).toEqual(readdirSync(FOLDER).sort());
    const { version } = JSON.parse(readFileSync("package.json", "utf8"));
    expect(images).toMatchObject([{ name: "user-group-service", newTag: version }]);
    for (const { spec } of pods) expect(spec.containers).toMatchObject([{ image: images[0]?.name }]);
    expect(labels).toHaveLength(1);
  });

  test("each kind appears once", () => {
    const kinds = ["Cluster", "Deployment", "Ingress", "Job", "PodDisruptionBudget", "Service", "ServiceMonitor"];
    expect(manifests.map(({ kind }) => kind).sort()).toEqual(kinds);
  });
});

const KUBECTL = "/usr/bin/kubectl";

describe.skipIf(!existsSync(KUBECTL))("built by kubectl", { meta: { skipped: "needs kubectl" } }, () => {
  const build = (folder: string) => execFileSync(KUBECTL, ["kustomize", folder], { encoding: "utf8" });

  async function expectValid(text: string, image: string) {
    const built = parseAllDocuments(text).map((one) => one.toJS());
    expect(built).toHaveLength(manifests.length);
    await Promise.all(built.map(validate));
    expect(compile(...built)).toBe("");
    expect(text.match(/image: .*service.*/g)).toEqual([`image: ${image}`, `image: ${image}`]);
  }

  test("the manifests are valid, with the image's full name", async () => {
    await expectValid(build(FOLDER), `${images[0]?.newName}:${images[0]?.newTag}`);
  });

  test("the kustomization in docs/deploy.md builds valid manifests", async () => {
    const [, block = ""] = /```yaml\n(resources:.*?)```/s.exec(readFileSync("docs/deploy.md", "utf8")) ?? [];
    const folder = mkdtempSync("deploy/kustomization-");
    try {
      const base = block.replace("../user-group-service/deploy/kubernetes", "../kubernetes");
      writeFileSync(path.join(folder, "kustomization.yaml"), base);
      const text = build(folder);
      await expectValid(text, "YOUR_REGISTRY/user-group-service:1.0.0");
      expect(text).not.toContain("groups.example.com");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("pods", () => {
  test.each(pods.map((pod) => [pod.spec.containers[0].name, pod]))("%s runs unprivileged", (_, { spec }) => {
    expect(spec).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
    const profile = { type: "RuntimeDefault" };
    expect(spec.securityContext).toEqual({
      runAsNonRoot: true,
      runAsUser: 1000,
      runAsGroup: 1000,
      seccompProfile: profile,
    });
    const [container] = spec.containers;
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.resources.limits.memory).toBeDefined();
    expect(container.volumeMounts.map(({ name }: { name: string }) => name)).toEqual(
      spec.volumes.map(({ name }: { name: string }) => name),
    );
  });

  test("traffic goes only to ready pods, and a stop interrupts no call", () => {
    const { spec } = deployment.spec.template;
    const [{ readinessProbe, livenessProbe, startupProbe, lifecycle }] = spec.containers;
    expect(readinessProbe.httpGet.path).toBe("/readyz");
    for (const probe of [livenessProbe, startupProbe]) expect(probe.httpGet.path).toBe("/healthz");
    // The service may take 10 s to stop.
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThan(lifecycle.preStop.sleep.seconds + 10);
    expect(deployment.spec.strategy.rollingUpdate.maxUnavailable).toBe(0);
    expect(deployment.spec.replicas).toBeGreaterThan(kind("PodDisruptionBudget").spec.maxUnavailable);
  });

  test("selectors match the labels of pods and service", () => {
    const { labels: podLabels } = deployment.spec.template.metadata;
    const spread = deployment.spec.template.spec.topologySpreadConstraints[0].labelSelector;
    const selectors = [deployment.spec.selector, spread, kind("PodDisruptionBudget").spec.selector];
    for (const { matchLabels } of selectors) expect(matchLabels).toEqual(podLabels);
    expect(service.spec.selector).toEqual(podLabels);
    expect(job.spec.template.metadata.labels).not.toEqual(podLabels);
    const { selector, endpoints } = kind("ServiceMonitor").spec;
    expect(service.metadata.labels).toMatchObject(selector.matchLabels);
    const [port] = service.spec.ports;
    expect(endpoints).toMatchObject([{ port: port.name, path: "/metrics" }]);
    expect(deployment.spec.template.spec.containers[0].ports).toMatchObject([{ name: port.targetPort }]);
    const [{ http }] = kind("Ingress").spec.rules;
    expect(http.paths[0].backend.service).toEqual({ name: service.metadata.name, port: { name: port.name } });
  });

  test("only the migration has the owner's password", () => {
    const [ours, migration] = pods.map(({ spec }) => JSON.stringify(spec));
    const { database, owner } = cluster.spec.bootstrap.initdb;
    const [runtime] = cluster.spec.managed.roles;
    const at = `@${cluster.metadata.name}-rw:5432/${database}?sslmode=verify-full&sslrootcert=/etc/postgres-ca/ca.crt`;
    const runtimeUrl = `postgresql://${runtime.name}:$(RUNTIME_PASSWORD)${at}`;
    for (const pod of [ours, migration]) {
      expect(pod).toContain(runtimeUrl);
      expect(pod).toContain(`"name":"${runtime.passwordSecret.name}","key":"password"`);
      expect(pod).toContain(`"secretName":"${cluster.metadata.name}-ca"`);
    }
    expect(migration).toContain(`postgresql://${owner}:$(OWNER_PASSWORD)${at}`);
    expect(migration).toContain(`"name":"${cluster.metadata.name}-app","key":"password"`);
    expect(ours).not.toMatch(/OWNER|-app"/);
  });
});
