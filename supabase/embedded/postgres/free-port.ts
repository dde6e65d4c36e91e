import { createServer } from "node:net";

/** A loopback port that is free right now; `preferred` when that one is. */
export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred !== undefined && (await tryPort(preferred)) !== undefined) return preferred;
  const port = await tryPort(0);
  if (port === undefined) throw new Error("No loopback port is free");
  return port;
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(undefined));
    server.listen(port, "127.0.0.1", () => {
      const address = server.address();
      const found = address !== null && typeof address === "object" ? address.port : undefined;
      server.close(() => resolve(found));
    });
  });
}
