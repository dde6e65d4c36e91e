import { EventEmitter, once } from "node:events";
import { createConnection, Socket } from "node:net";
import { afterEach, expect, it, vi } from "vitest";
import { readAllowedHosts } from "../../worker/base/hosts";
import { openJobNetwork, type RefusedHost } from "../../worker/sandbox/network/job-network";

const net = vi.hoisted(() => ({ lookup: vi.fn(), connect: vi.fn() }));
vi.mock("node:dns/promises", () => ({ lookup: net.lookup }));
vi.mock("node:net", async (original) => ({ ...(await original<object>()), connect: net.connect }));

const service = new URL("http://service.example:3000");
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

async function open(...hosts: string[]) {
  const refused: RefusedHost[] = [];
  const allowedHosts = hosts.flatMap((host) => readAllowedHosts(host, "person") ?? []);
  const options = { allowedHosts, wanted: [], service, refused: (one: RefusedHost) => refused.push(one) };
  const network = await openJobNetwork(options);
  closing.push(network.close);
  const ask = async (head: string): Promise<Socket> => {
    const socket = createConnection(network.socket);
    closing.push(() => socket.destroy());
    socket.on("error", () => undefined);
    await once(socket, "connect");
    socket.write(`${head}\r\n\r\n`);
    return socket;
  };
  return { network, refused, ask };
}

async function wordsOf(socket: Socket): Promise<string> {
  let text = "";
  socket.on("data", (piece) => {
    text += piece;
  });
  if (!socket.closed) await once(socket, "close");
  return text;
}

it.each(["example.com:65536", "example.com:99999", "example.com:0", "example.com", ":443"])(
  "The proxy of a sandbox refuses CONNECT %s at once and asks no one",
  async (target) => {
    const { ask, refused } = await open();
    const answer = await wordsOf(await ask(`CONNECT ${target} HTTP/1.1\r\nHost: x`));
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(refused).toEqual([]);
  },
);

it("The proxy of a sandbox leaves no connection behind that was on its way when the job ended", async () => {
  const dns = new EventEmitter();
  net.lookup.mockReturnValue(once(dns, "found"));
  const outer = new Socket();
  net.connect.mockReturnValue(outer);
  const { network, ask } = await open("late.example:443");
  const inner = await ask("CONNECT late.example:443 HTTP/1.1\r\nHost: x");
  await vi.waitFor(() => expect(net.lookup).toHaveBeenCalled(), 60_000);
  await network.close();
  dns.emit("found", { address: "203.0.113.5", family: 4 });
  await wordsOf(inner);
  await vi.waitFor(() => expect(net.connect).toHaveBeenCalled(), 60_000);
  await vi.waitFor(() => expect(outer.destroyed).toBe(true), 60_000);
});
