import { once } from "node:events";
import { createServer } from "node:net";
import { expect, it } from "vitest";
import { findFreePort } from "../../supabase/embedded/postgres/free-port";

it("a free port is none that the system gives to someone else", async () => {
  for (let round = 0; round < 20; round += 1) {
    const port = await findFreePort();
    expect(port).toBeGreaterThanOrEqual(15_000);
    expect(port).toBeLessThan(32_000);
  }
});

it("a port that was asked for is given when it is free, and only then", async () => {
  const port = await findFreePort();
  expect(await findFreePort(port)).toBe(port);
  const server = createServer().listen(port, "127.0.0.1");
  await once(server, "listening");
  expect(await findFreePort(port)).not.toBe(port);
  server.close();
});
