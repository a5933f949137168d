import { createSocket } from "node:dgram";
import { once } from "node:events";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

// A process reads the setting once, and the other files' tests open no network.
beforeAll(() => {
  vi.stubEnv("WEBHOOK_PRIVATE_NETWORKS", "127.0.0.0/8");
  vi.resetModules();
});
afterAll(() => {
  vi.unstubAllEnvs();
  vi.resetModules();
});

test("with opened networks, a name that no name server knows is looked up on this machine", async () => {
  const { resolveName } = await import("@/lib/webhooks/address");
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  const localhost = await resolveName("localhost", [`127.0.0.1:${port}`]);
  expect(localhost).toContainEqual({ address: "127.0.0.1", family: 4 });
});
