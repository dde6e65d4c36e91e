import { createServer } from "node:http";

export interface RealtimeServer {
  port: number;
  stop(): Promise<void>;
}

export interface RealtimeOptions {
  databaseUrl: string;
  jwtSecret: string;
  publishableKey: string;
  secretKey: string;
}

export async function startRealtimeServer(_options: RealtimeOptions): Promise<RealtimeServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = address !== null && typeof address === "object" ? address.port : 0;
  return { port, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}
