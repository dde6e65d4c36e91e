import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { z } from "zod";
import { workerProtocol, workerProtocolHeader } from "~/contract/worker-protocol";
import { callMilliseconds } from "./rest-calls";

const answerSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()).optional(),
});
export type ToolAnswer = z.output<typeof answerSchema>;

/** Calls tools over one connection, which is made anew after a call that failed. */
export function openToolConnection(endpoint: URL, token: string) {
  let connection: Promise<Client> | undefined;
  return {
    async call(
      tool: string,
      given: Record<string, unknown>,
      signal?: AbortSignal,
    ): Promise<ToolAnswer> {
      connection ??= connect(endpoint, token);
      const used = connection;
      try {
        const client = await used;
        const options = { timeout: callMilliseconds, ...(signal ? { signal } : {}) };
        return answerSchema.parse(await client.callTool({ name: tool, arguments: given }, options));
      } catch (error) {
        // Nobody waits for this answer any more; others may wait for theirs on the same connection.
        if (signal?.aborted) throw error;
        // Another call may have made a new one since.
        if (connection === used) connection = undefined;
        used.then((client) => client.close()).catch(() => undefined);
        throw error;
      }
    },
    async close(): Promise<void> {
      const client = await connection?.catch(() => undefined);
      await client?.close();
    },
  };
}

async function connect(endpoint: URL, token: string): Promise<Client> {
  const client = new Client(
    { name: "backloom-worker", version: "1" },
    { versionNegotiation: { mode: "auto" } },
  );
  const headers = {
    authorization: `Bearer ${token}`,
    [workerProtocolHeader]: String(workerProtocol),
  };
  await client.connect(new StreamableHTTPClientTransport(endpoint, { requestInit: { headers } }));
  return client;
}
