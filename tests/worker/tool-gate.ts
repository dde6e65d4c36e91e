import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { pipeline } from "node:stream";
import { buffer } from "node:stream/consumers";
import { createGunzip } from "node:zlib";
import { z } from "zod";
import { listen } from "./fixture";

/** Which call of a tool is held: before the service hears it, or before the worker hears the answer. */
export interface HeldTool {
  /**
   * Its name, or for an address of a job, or of the Git host, the method and the last part: `POST conflicts`, `PUT pulls`; for the
   * stream of a job `GET realtime`.
   */
  tool: string;
  when: "before" | "after";
  /** Only the call that says this status. */
  status?: string;
  /** The first such call by default. */
  nth?: number;
}

export interface HeldCall {
  reached: Promise<void>;
  /** Lets it through, late. */
  pass(): void;
  /** What the service says to the call; one that was held before is let through only now. */
  answer(): Promise<z.output<typeof answerSchema>>;
  /** The worker never hears the answer: its connection ends. */
  lose(): void;
}

const callSchema = z.object({
  method: z.literal("tools/call"),
  params: z.object({ name: z.string(), arguments: z.looseObject({ status: z.string().optional() }).default({}) }),
});
const answerSchema = z.object({ isError: z.boolean().default(false), structuredContent: z.looseObject({}) });
const messageSchema = z.object({ result: answerSchema });

interface GateOptions {
  /** Without streams a worker hears of a change with its next heartbeat only, so that it is known which heartbeat comes when. */
  streams?: boolean;
}

/** A proxy in front of the service that holds one call of a worker and passes everything else on. */
export async function openToolGate(port: number, { streams = true }: GateOptions = {}) {
  let servicePort = port;
  let held: { wanted: HeldTool; seen: number; take: (call: Call) => Promise<void> } | undefined;
  const received: { tool: string; given: object }[] = [];
  const underWay = new Map<string, number>();
  const most = new Map<string, number>();
  const count = (tool: string, outgoing: ServerResponse): void => {
    const now = (underWay.get(tool) ?? 0) + 1;
    underWay.set(tool, now);
    most.set(tool, Math.max(now, most.get(tool) ?? 0));
    outgoing.on("close", () => underWay.set(tool, (underWay.get(tool) ?? 1) - 1));
  };
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const call = { port: servicePort, incoming, body, pass: () => passOn(call, outgoing) };
    const sent = toolCallOf(call);
    if (sent !== null) {
      received.push({ tool: sent.name, given: sent.arguments });
      count(sent.name, outgoing);
    }
    if (!streams && sent?.name === stream) return void outgoing.writeHead(404).end();
    if (held && fits(held.wanted, call) && ++held.seen === (held.wanted.nth ?? 1)) {
      return held.take(call);
    }
    call.pass();
  });
  return {
    url: await listen(server),
    /** What the worker has given a tool so far. */
    given: (tool: string) => received.filter((call) => call.tool === tool).map((call) => call.given),
    /** How many calls of a tool were under way at once. */
    mostAtOnce: (tool: string) => most.get(tool) ?? 0,
    /** The service is at another port from now on. */
    moveTo(next: number): void {
      servicePort = next;
    },
    hold(wanted: HeldTool): HeldCall {
      let taken: Call | undefined;
      let answering: ReturnType<typeof send> | undefined;
      const reached = new Promise<void>((resolve, reject) => {
        const take = async (call: Call) => {
          taken = call;
          if (wanted.when === "after") {
            answering = send(call);
            await answering.catch(reject);
          }
          resolve();
        };
        held = { wanted, seen: 0, take };
      });
      return {
        reached,
        pass: () => taken?.pass(),
        async answer() {
          if (!taken) throw new Error(`${wanted.tool} was never called`);
          answering ??= send(taken);
          return answering;
        },
        lose: () => taken?.incoming.socket.destroy(),
      };
    },
  };
}

interface Call {
  port: number;
  incoming: IncomingMessage;
  body: Buffer;
  pass(): void;
}

/** Under which name the stream of a job is held and counted. */
const stream = "GET realtime";

function passOn(call: Call, outgoing: ServerResponse): void {
  const upstream = request(optionsOf(call), (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    // Ends the stream of a service that was killed, too.
    pipeline(answer, outgoing, () => undefined);
  });
  upstream.on("error", () => outgoing.destroy());
  outgoing.on("close", () => upstream.destroy());
  upstream.end(call.body);
}

function fits({ tool, status }: HeldTool, sent: Call): boolean {
  const call = toolCallOf(sent);
  if (call?.name !== tool) return false;
  return status === undefined || call.arguments.status === status;
}

function toolCallOf({ incoming: { method, url, headers }, body }: Call) {
  if (url?.startsWith("/api/realtime/job?")) return { name: stream, arguments: {} };
  const [, part] = /^\/api\/jobs\/[^/]+\/(\w+)$/.exec(url ?? "") ?? [];
  const [, forge] =
    /^\/api\/(?:products\/[^/]+\/)?(pulls|pull-texts|issues|issue-notes|upkeeps)\b/.exec(url ?? "") ?? [];
  if (forge !== undefined) return { name: `${method} ${forge}`, arguments: {} };
  if (body.length === 0 || headers["content-encoding"] !== undefined) return null;
  if (part !== undefined) return { name: `${method} ${part}`, arguments: {} };
  return callSchema.safeParse(JSON.parse(body.toString("utf8"))).data?.params ?? null;
}

function optionsOf({ port, incoming: { method, headers, url } }: Call) {
  return { host: "127.0.0.1", port, method, path: url, headers };
}

/** Sends a call and reads its answer, which is JSON or the only event of a stream. */
async function send(call: Call) {
  const text = await new Promise<string>((resolve, reject) => {
    const upstream = request(optionsOf(call), (answer) => {
      const isSmall = answer.headers["content-encoding"] === undefined;
      const plain = isSmall ? answer : answer.pipe(createGunzip());
      buffer(plain).then((body) => resolve(body.toString("utf8")), reject);
    });
    upstream.on("error", reject);
    upstream.end(call.body);
  });
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  const parsed = z.looseObject({}).parse(JSON.parse(data));
  return "result" in parsed
    ? messageSchema.parse(parsed).result
    : { isError: "error" in parsed, structuredContent: parsed };
}
