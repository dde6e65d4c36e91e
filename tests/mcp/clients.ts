import { Client, StreamableHTTPClientTransport, type ToolAnnotations } from "@modelcontextprotocol/client";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { z } from "zod";
import type { TestApp } from "../setup/app";

const resultSchema = z.object({
  isError: z.boolean().optional(),
  structuredContent: z.record(z.string(), z.unknown()),
  content: z.array(z.looseObject({ type: z.string() })),
});

/** What both lines of the official client can do, as the tests need it. */
export interface ToolClient {
  listTools(): Promise<{ name: string; description?: string; inputSchema: object; annotations?: ToolAnnotations }[]>;
  call(name: string, toolArguments?: Record<string, unknown>): Promise<ToolAnswer>;
  instructions(): string | undefined;
  close(): Promise<void>;
}

export type ToolAnswer = { isError: boolean; result: Record<string, unknown>; text: string };

export type ClientLine = "2026-07-28" | "2025-11-25" | "sdk 1";

/** Connects an official client; the first two are one package that speaks either revision. */
export async function connectClient(
  app: Pick<TestApp, "origin">,
  token: string,
  line: ClientLine = "2026-07-28",
  path = "/mcp",
): Promise<ToolClient> {
  const url = new URL(`${app.origin}${path}`);
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  if (line === "sdk 1") {
    const client = new EarlierClient({ name: "test", version: "1" });
    await client.connect(new EarlierTransport(url, { requestInit }));
    return wrap(client);
  }
  const mode = line === "2026-07-28" ? "auto" : "legacy";
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }));
  if (client.getNegotiatedProtocolVersion() !== line) throw new Error("another revision was taken");
  return wrap(client);
}

function wrap(client: Client | EarlierClient): ToolClient {
  return {
    listTools: async () => (await client.listTools()).tools,
    async call(name, toolArguments = {}) {
      const answer = resultSchema.parse(await client.callTool({ name, arguments: toolArguments }));
      const [first] = answer.content;
      return { isError: answer.isError ?? false, result: answer.structuredContent, text: String(first?.text ?? "") };
    },
    instructions: () => client.getInstructions(),
    close: () => client.close(),
  };
}
