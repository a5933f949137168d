import { createSocket } from "node:dgram";
import { once } from "node:events";
import { expect, test } from "vitest";
import { resolveName } from "@/lib/webhooks/address";

// Read once by a process, so this has a file of its own.
process.env.WEBHOOK_PRIVATE_NETWORKS = "127.0.0.0/8";

test("with opened networks, a name that no name server knows is looked up on this machine", async () => {
  const socket = createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  await once(socket, "close");
  const localhost = await resolveName("localhost", [`127.0.0.1:${port}`]);
  expect(localhost).toContainEqual({ address: "127.0.0.1", family: 4 });
});
