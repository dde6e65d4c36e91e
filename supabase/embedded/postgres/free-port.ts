import { createServer } from "node:net";

/**
 * Below the ports that systems hand out by themselves (from 32768 on Linux, 49152 elsewhere): nobody gets one of these by chance
 * between the look and its use, or while a server that was killed is started anew.
 */
const lowest = 15_000;
const highest = 32_000;
const mostTries = 100;

/** A loopback port that is free right now; `preferred` when that one is. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await isFree(preferred))) return preferred;
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
