import http from "node:http";
import { z } from "zod";
import { changeMessageSchema } from "~/wire/events";
import { followMessages } from "../../supabase/embedded/realtime/feed";

/**
 * The reference program: one replication reader that writes each change to every client that its filter lets
 * through, with nothing else around it.
 */
const taskSchema = z.object({
  op: z.string(),
  entity: z.literal("task"),
  id: z.string(),
  product_id: z.string(),
  assignee_id: z.string().nullable(),
  sprint_id: z.string().nullable(),
});

const [feedUrl = ""] = process.argv.slice(2);
const clients = new Set<{ response: http.ServerResponse; productId: string; userId: string }>();

const server = http.createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const client = {
    response,
    productId: searchParams.get("product_id") ?? "",
    userId: searchParams.get("user_id") ?? "",
  };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write('event: ready\ndata: {"product_id":""}\n\n');
  clients.add(client);
  response.on("close", () => clients.delete(client));
});

const feed = followMessages(feedUrl, {
  onMessage({ payload }) {
    for (const event of changeMessageSchema.parse(payload).events) {
      const task = taskSchema.safeParse(event);
      if (!task.success) continue;
      const frame = `data: ${JSON.stringify(task.data)}\n\n`;
      for (const client of clients) {
        if (client.productId !== task.data.product_id) continue;
        if (client.userId === task.data.assignee_id) client.response.write(frame);
      }
    }
  },
  onInterruption() {},
  onReturn() {},
});
await feed.begun;
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  process.send?.({ ready: { port: typeof address === "object" && address ? address.port : 0 } });
});
process.on("message", () => process.exit(0));
