import { createServer } from "node:net";

/** Below the ephemeral ports (from 32768 on Linux), so that no program gets one by chance before we use it again. */
const lowest = 15_000;
const highest = 32_000;
const mostTries = 100;

/** Returns a free loopback port. Nothing prefers one: a fixed port is one day an outgoing connection of somebody. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < mostTries; tries += 1) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (await isFree(port)) return port;
  }
  throw new Error("No loopback port is free");
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });
}
