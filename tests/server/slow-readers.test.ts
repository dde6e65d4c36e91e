import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { expect, it } from "vitest";
import { sendResponse } from "~/server/send-response";

it("cuts who takes nothing of a long answer, and nobody who takes it slowly", async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => {
    answers.push(response);
    void sendResponse(new Response(new Uint8Array(20_000_000)), response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const ask = async () => {
    const reader = connect(port, "127.0.0.1").pause();
    reader.on("error", () => undefined);
    reader.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await once(server, "request");
    return reader;
  };
  const idle = await ask();
  const slow = await ask();
  const sips = setInterval(() => slow.resume().once("data", () => slow.pause()), 200);
  const [first, second] = answers;
  if (!first || !second) throw new Error("Two answers were asked for");
  await once(first, "close");
  expect(second.destroyed).toBe(false);
  clearInterval(sips);
  slow.destroy();
  await once(idle.resume(), "close");
  expect(idle.bytesRead).toBeLessThan(20_000_000);
  server.closeAllConnections();
  server.close();
}, 60_000);
