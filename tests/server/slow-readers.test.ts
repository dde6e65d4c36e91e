import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, it, vi } from "vitest";
import { sendResponse } from "~/server/node-adapter";
import { NodeResponseSink } from "~/server/request-context";
import { fileSchema } from "~/wire/files/contract";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { portOf } from "../setup/port-of";

it("A reader who takes nothing of a long answer is cut off, and a slow one is not", async () => {
  const answers: ServerResponse[] = [];
  const server = createServer((_, response) => {
    answers.push(response);
    void sendResponse(new Response(new Uint8Array(20_000_000)), response);
  });
  const port = await portOf(server);
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

it("The service reads no more of a file than its reader takes", async () => {
  const t = await createTestDatabase();
  const app = await startTestApp(t);
  const owner = await t.createUser();
  const { id } = await t.seedProduct(owner);
  const headers = await t.bearerOf(owner);
  const content = Buffer.alloc(10 * 1024 * 1024, "0123456789");
  const body = new FormData();
  body.set("product_id", id);
  body.set("file", new File([content], "long.txt"));
  const uploaded = await app.request("/api/files", { method: "POST", headers, body });
  const { url } = fileSchema.parse(await uploaded.json());
  const partsRead = async () => {
    const rows = await t.query`delete from rate_limit_counters where action = 'file_read'
      and key = ${owner.id} returning count`;
    return rows[0]?.count;
  };
  const reader = connect(app.port, "127.0.0.1").pause();
  reader.write(`GET ${url} HTTP/1.1\r\nHost: localhost:${app.port}\r\nAuthorization: ${headers.authorization}\r\n\r\n`);
  // What the sockets of the machine take is taken; no one reads, so that the service gives up.
  const isOver = () => app.logLines.some((line) => line.includes(url) && line.includes("GET"));
  await vi.waitUntil(isOver, { timeout: 40_000, interval: 100 });
  reader.destroy();
  expect(await partsRead()).toBeLessThan(10);
  const whole = await app.request(url, { headers });
  expect(Buffer.from(await whole.arrayBuffer()).equals(content)).toBe(true);
  expect(await partsRead()).toBe(10);
}, 60_000);

it("An ended stream lets go of a reader who takes nothing any more", async () => {
  const server = createServer();
  const asked = once(server, "request");
  const port = await portOf(server);
  const reader = connect(port, "127.0.0.1", () => {
    reader.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    reader.pause();
  });
  const [, response]: [unknown, ServerResponse] = await asked.then(([a, b]) => [a, b]);
  const sink = new NodeResponseSink(response);
  sink.open(200, { "content-type": "text/event-stream" });
  // More than the kernel's buffers take, so that the end cannot be sent.
  sink.write("x".repeat(32 * 1_048_576));
  const closed = once(response, "close");
  sink.end();
  await closed;
  expect(reader.bytesRead).toBeLessThan(32 * 1_048_576);
  reader.destroy();
  server.close();
});
