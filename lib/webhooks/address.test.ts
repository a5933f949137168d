import { createSocket } from "node:dgram";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { describe, expect, test } from "vitest";
import {
  AddressRefused,
  allowedAddresses,
  isAllowed,
  NotResolved,
  networksOf,
  resolveName,
} from "@/lib/webhooks/address";
import { ReceiverAgent, send } from "@/lib/webhooks/send";

const PRIVATE = [
  "0.0.0.0",
  "10.0.0.1",
  "100.64.0.1",
  "127.0.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "192.0.0.1",
  "192.0.2.1",
  "192.88.99.1",
  "192.168.0.1",
  "198.18.0.1",
  "198.51.100.1",
  "203.0.113.1",
  "224.0.0.1",
  "240.0.0.1",
  "255.255.255.255",
  "::",
  "::1",
  "::127.0.0.1",
  "::ffff:127.0.0.1",
  "::ffff:169.254.169.254",
  "::ffff:0:127.0.0.1",
  "64:ff9b::7f00:1",
  "64:ff9b:1::1",
  "100::1",
  "2001::1",
  "2001:2::1",
  "2001:db8::1",
  "2002:7f00:1::1",
  "3fff::1",
  "5f00::1",
  "fc00::1",
  "fd00::1",
  "fe80::1",
  "fe80::1%eth0",
  "2606:4700::1%lo",
  "fec0::1",
  "ff02::1",
  "",
  "localhost",
  "999.1.1.1",
  "168.63.129.16",
];

describe("an address", () => {
  test.each(PRIVATE)("%s is refused", (address) => {
    expect(isAllowed(address, [])).toBe(false);
  });

  test.each(["1.1.1.1", "93.184.216.34", "::ffff:1.1.1.1", "2606:4700:4700::1111"])("%s is allowed", (address) => {
    expect(isAllowed(address, [])).toBe(true);
  });

  test("in an allowed network is allowed, unless cloud metadata services use it", () => {
    const opened = networksOf(["10.0.0.0/8", "fd00::/8", "0.0.0.0/0", "::/0"]);
    for (const address of ["10.1.2.3", "::ffff:10.1.2.3", "fd00::1", "127.0.0.1", "64:ff9b::a01:203"]) {
      expect(isAllowed(address, opened), address).toBe(true);
    }
    for (const address of [
      "169.254.169.254",
      "::ffff:169.254.169.254",
      "64:ff9b::169.254.169.254",
      "fe80::1",
      "fd00::1%eth0",
      "fd00:ec2::254",
      "fd00:c1::a9fe:a9fe",
      "fd20:ce::254",
      "100.100.100.200",
      "::ffff:192.0.0.192",
    ]) {
      expect(isAllowed(address, opened), address).toBe(false);
    }
    expect(isAllowed("192.168.0.1", networksOf(["10.0.0.0/8"]))).toBe(false);
  });

  test.each([
    ["1.1.1.1", "1.1.1.1", 4],
    ["[2606:4700:4700::1111]", "2606:4700:4700::1111", 6],
  ])("%s in a URL is connected to as %s, of family IPv%i", async (host, address, family) => {
    expect(await allowedAddresses(host)).toEqual([{ address, family }]);
  });
});

// Node normalises each to 127.0.0.1, 169.254.169.254 or ::1.
const LITERALS = [
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0177.0.0.1/",
  "https://127.1/",
  "https://0x7f.1/",
  "https://0251.0376.0251.0376/",
  "https://2852039166/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[64:ff9b::169.254.169.254]/",
  "https://①②⑦.0.0.1/",
  "https://127。0。0。1/",
  "https://127.0.0.1./",
  "https://2130706433./",
  "https://0/",
  "https://0.0.0.0:22/",
  "https://[::]/",
  "https://1/",
  "https://[::ffff:0:7f00:1]/",
  "https://[2002:7f00:1::]/",
  "https://[2001:0:7f00:1::1]/",
  "https://[::7f00:1]/",
];
const MESSAGE = { headers: {}, body: "{}" };
const { signal } = new AbortController();

describe.each(LITERALS)("%s", (url) => {
  test("is refused on saving", async () => {
    await expect(allowedAddresses(new URL(url).hostname)).rejects.toThrow(AddressRefused);
  });

  test("is refused on sending", async () => {
    const attempt = await send(new ReceiverAgent(), { url, ...MESSAGE }, signal);
    expect(attempt).toMatchObject({ error: "address_refused", status: null });
  });
});

describe("a name", () => {
  const resolving =
    (...addresses: string[]) =>
    async () =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

  test("is refused if any of its addresses is", async () => {
    const mixed = allowedAddresses("mixed.example", resolving("1.1.1.1", "10.0.0.1"));
    await expect(mixed).rejects.toThrow(AddressRefused);
    await expect(allowedAddresses("empty.example", resolving())).rejects.toThrow(NotResolved);
    await expect(allowedAddresses("good.example", resolving("1.1.1.1", "2606:4700::1"))).resolves.toHaveLength(2);
  });

  test("with a silent name server delays no other", async () => {
    const server = createSocket("udp4");
    // Answers only for fast.example: 1.1.1.1, and no IPv6 address.
    server.on("message", (question, { port }) => {
      if (!question.includes("fast")) return;
      const isV4 = question.readUInt16BE(12 + question.subarray(12).indexOf(0) + 1) === 1;
      const end = 12 + question.subarray(12).indexOf(0) + 5;
      const head = Buffer.from([question[0] ?? 0, question[1] ?? 0, 0x81, 0x80, 0, 1, 0, isV4 ? 1 : 0, 0, 0, 0, 0]);
      const answer = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 1, 1, 1, 1]);
      server.send(Buffer.concat([head, question.subarray(12, end), ...(isV4 ? [answer] : [])]), port);
    });
    server.bind(0, "127.0.0.1");
    await once(server, "listening");
    const ask = (name: string) => resolveName(name, [`127.0.0.1:${server.address().port}`]);
    let silent = 0;
    const waiting = Array.from({ length: 50 }, (_, n) => ask(`silent-${n}.example`).finally(() => silent++));
    expect(await ask("fast.example")).toEqual([{ address: "1.1.1.1", family: 4 }]);
    expect(silent).toBe(0);
    expect((await Promise.all(waiting)).flat()).toEqual([]);
    server.close();
  });

  test("that rebinds between saving and sending reaches nothing", async () => {
    let connections = 0;
    const server = createServer((socket) => {
      connections++;
      socket.destroy();
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    let lookUps = 0;
    // Resolves to a public address once.
    const rebinding = () => resolving(lookUps++ === 0 ? "1.1.1.1" : "127.0.0.1")();
    await allowedAddresses("rebinds.example", rebinding);
    const receiver = new ReceiverAgent(rebinding);
    const attempt = await send(receiver, { url: `https://rebinds.example:${port}/`, ...MESSAGE }, signal);
    expect(attempt).toMatchObject({ error: "address_refused" });
    expect([lookUps, connections]).toEqual([2, 0]);
    receiver.destroy();
    server.close();
  });

  test("that cannot be resolved is recorded as dns", async () => {
    const unknown = async () => {
      throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    };
    const attempt = await send(new ReceiverAgent(unknown), { url: "https://unknown.example/", ...MESSAGE }, signal);
    expect(attempt).toMatchObject({ error: "dns", status: null });
  });
});
