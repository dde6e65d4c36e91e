import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { connect } from "node:net";
import { expect, it } from "vitest";
import { NodeResponseSink } from "~/server/request-context";
import { portOf } from "../setup/port-of";

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
