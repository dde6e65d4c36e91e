import { z } from "zod";

const answerSchema = z.object({
  result: z.object({
    isError: z.boolean().optional(),
    structuredContent: z.looseObject({
      job: z.object({ id: z.string(), attempt: z.number() }).nullish(),
      code: z.number().optional(),
    }),
  }),
});

/** A call with a token and a body, as programs send it. */
export function jsonRequest(token: string, method: "POST" | "PATCH", body: unknown) {
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  return { method, headers, body: JSON.stringify(body) };
}

/** The request that calls a tool of /mcp/worker, as the real worker sends it. */
export function toolRequest(token: string, name: string, given: Record<string, unknown>) {
  return jsonRequest(token, "POST", {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name, arguments: given },
  });
}

export function readTool({ status, text }: { status: number; text: string }) {
  const parsed = answerSchema.safeParse(JSON.parse(text));
  if (!parsed.success) throw new Error(`A tool answered ${status} ${text}`);
  return parsed.data.result;
}
