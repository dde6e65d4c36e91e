import http from "node:http";
import { z } from "zod";
import { sharedNow } from "./processes";
import { latenciesOf } from "./statistics";

/** Many readers of one stream, in their own process. */

const requestSchema = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("connect"),
    count: z.number(),
    url: z.string(),
    headers: z.record(z.string(), z.string()),
  }),
  z.object({ kind: z.literal("expect"), deliveries: z.number() }),
  z.object({ kind: z.literal("arrivals"), sent: z.array(z.tuple([z.string(), z.number()])) }),
  z.object({ kind: z.literal("disconnect") }),
]);

const changeId = /"entity":"task","id":"([0-9a-f-]{36})"/g;

type Client = { request: http.ClientRequest; arrivals: [string, number][] };

let clients: Client[] = [];
let deliveries = 0;
let expected = Number.POSITIVE_INFINITY;
const agent = new http.Agent({ maxSockets: Number.POSITIVE_INFINITY });

function connect(url: string, headers: Record<string, string>): Promise<Client> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { headers, agent }, (response) => {
      const client: Client = { request, arrivals: [] };
      let rest = "";
      response.setEncoding("utf8");
      response.on("data", (chunk: string) => {
        const now = sharedNow();
        const text = rest + chunk;
        const end = text.lastIndexOf("\n\n");
        rest = text.slice(end + 2);
        if (text.includes("event: ready")) resolve(client);
        for (const [, id] of text.slice(0, Math.max(0, end)).matchAll(changeId)) {
          if (id) client.arrivals.push([id, now]);
          deliveries += 1;
        }
        if (deliveries >= expected) {
          expected = Number.POSITIVE_INFINITY;
          process.send?.({ allAt: now });
        }
      });
    });
    request.on("error", reject);
  });
}

/** Of each delivery, and of the last client of each change. */
function arrivalsOf(sent: readonly (readonly [string, number])[]) {
  const latencies: number[] = [];
  const last = new Map<string, number>();
  for (const { arrivals } of clients) {
    for (const { change, milliseconds } of latenciesOf(sent, arrivals)) {
      latencies.push(milliseconds);
      last.set(change, Math.max(last.get(change) ?? 0, milliseconds));
    }
  }
  return { latencies, last: [...last.values()] };
}

process.on("message", async (message) => {
  if (message === "stop") process.exit(0);
  const request = requestSchema.parse(message);
  if (request.kind === "connect") {
    for (let left = request.count; left > 0; left -= 50) {
      const some = Array.from({ length: Math.min(50, left) }, () => connect(request.url, request.headers));
      clients.push(...(await Promise.all(some)));
    }
    process.send?.({ connected: clients.length });
  } else if (request.kind === "expect") {
    deliveries = 0;
    for (const client of clients) client.arrivals = [];
    expected = request.deliveries;
    process.send?.({ connected: clients.length });
  } else if (request.kind === "arrivals") {
    process.send?.({ ...arrivalsOf(request.sent), deliveries });
    for (const client of clients) client.arrivals = [];
    deliveries = 0;
  } else {
    for (const client of clients) client.request.destroy();
    clients = [];
    process.send?.({ connected: 0 });
  }
});
