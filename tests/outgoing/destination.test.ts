import { createSocket } from "node:dgram";
import dns from "node:dns/promises";
import { once } from "node:events";
import { expect, it } from "vitest";
import { guardedLookup, isPrivateAddress, requireDestination } from "~/outgoing/destination.server";

it.each(
  `127.0.0.1 | 10.1.2.3 | 172.31.255.1 | 192.168.0.10 | 169.254.169.254 | 100.64.0.1 | 0.0.0.0 | ::1 | :: |
  fd00::1 | fe80::1 | ::ffff:10.0.0.1 | ::ffff:7f00:1 | ::7f00:1 | 2002:7f00:1:: | 64:ff9b::a00:1 |
  64:ff9b:1::a00:1 | 2001::7f00:1 | fec0::1 | 192.0.2.1 | not an address`.split(/\s*\|\s*/),
)("D6: The address %s is private", (address) => {
  expect(isPrivateAddress(address)).toBe(true);
});

it.each(["93.184.216.34", "8.8.8.8", "2606:4700::1111"])("The address %s is public", (address) => {
  expect(isPrivateAddress(address)).toBe(false);
});

it.each([
  "http://example.com/hook",
  "ftp://example.com",
  "javascript:alert(1)",
  "https://user:secret@example.com",
  "https://127.0.0.1/hook",
  "https://[::1]/hook",
  "https://localhost./hook",
  "https://2130706433/hook",
  "https://0x7f.1/hook",
  "https://127.0.0.1;.example.com/x",
  "https://127.0.0.1`.example.com/x",
  "https://127.0.0.1{.example.com/x",
  "nonsense",
])("D6: A request to %s is refused", (address) => {
  expect(() => requireDestination(address, false)).toThrow();
});

it("A request to a public name over https is allowed", () => {
  expect(requireDestination("https://hooks.example.com/a?b=c", false).hostname).toBe("hooks.example.com");
});

it("D6: A name in a private network is refused, and names whose server is silent hold up no other", async () => {
  const addresses: Readonly<Record<string, number[]>> = { inside: [10, 0, 0, 1], outside: [93, 184, 216, 34] };
  const held: (() => void)[] = [];
  const server = createSocket("udp4").on("message", (asked, { port, address }) => {
    const name = asked.subarray(13, 13 + (asked[12] ?? 0)).toString();
    const end = asked.indexOf(0, 12) + 5;
    const found = asked[end - 3] === 1 ? (addresses[name] ?? []) : [];
    const record = found.length > 0 ? [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 9, 0, 4, ...found] : [];
    const head = [asked[0] ?? 0, asked[1] ?? 0, 0x81, 0x80, 0, 1, 0, record.length > 0 ? 1 : 0, 0, 0, 0, 0];
    const answer = () => server.send(Buffer.from([...head, ...asked.subarray(12, end), ...record]), port, address);
    if (name.startsWith("silent")) held.push(answer);
    else answer();
  });
  server.bind(0, "127.0.0.1");
  await once(server, "listening");
  const before = dns.getServers();
  dns.setServers([`127.0.0.1:${server.address().port}`]);
  const look = (name: string) =>
    new Promise((resolve) =>
      guardedLookup(false)(`${name}.test`, {}, (error, found) => resolve(error?.message ?? found)),
    );
  const silent = Array.from({ length: 12 }, (_, at) => look(`silent${at}`));
  expect(await look("inside")).toBe("inside.test leads into a private network.");
  expect(await look("outside")).toBe("93.184.216.34");
  for (const answer of held) answer();
  expect(await Promise.all(silent)).toEqual(Array(12).fill(expect.stringContaining("ENODATA")));
  dns.setServers(before);
  server.close();
});
