import { createServer, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { z } from "zod";
import { listen } from "./fixture";

const given = z.looseObject({});
const callSchema = z.looseObject({ params: z.looseObject({ name: z.string(), arguments: given.default({}) }) });
const answerSchema = z.looseObject({ result: z.looseObject({ structuredContent: given }) });

type Given = z.output<typeof given>;

interface Alterations {
  /** What the service hears instead of what the worker gave a tool. */
  changeRequest?: (tool: string, given: Given) => Given;
  /** What the worker hears instead of what the service answered. */
  changeAnswer?: (tool: string, answer: Given) => Given;
}

/** A service that is not what it should be: the real one, with some of its words changed on the way. */
export async function openAlteredService(port: number, alterations: Alterations): Promise<string> {
  const server = createServer(async (incoming, outgoing) => {
    const body = await buffer(incoming);
    const call = callOf(body);
    const sent = call === null ? body : Buffer.from(JSON.stringify(alteredCall(call, alterations)));
    const upstream = request(optionsOf(port, incoming, sent), (answer) => {
      if (call === null || alterations.changeAnswer === undefined) {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
        return;
      }
      void buffer(answer).then((whole) => {
        const text = alteredAnswer(call.params.name, whole.toString("utf8"), alterations);
        const { "content-length": _length, ...headers } = answer.headers;
        outgoing.writeHead(answer.statusCode ?? 502, headers).end(text);
      });
    });
    upstream.on("error", () => outgoing.destroy());
    outgoing.on("close", () => upstream.destroy());
    upstream.end(sent);
  });
  return listen(server);
}

type Call = z.output<typeof callSchema>;

function callOf(body: Buffer): Call | null {
  const text = body.toString("utf8");
  return text.startsWith("{") ? (callSchema.safeParse(JSON.parse(text)).data ?? null) : null;
}

function alteredCall({ params, ...rest }: Call, { changeRequest }: Alterations) {
  const changed = changeRequest?.(params.name, params.arguments) ?? params.arguments;
  return { ...rest, params: { ...params, arguments: changed } };
}

function alteredAnswer(tool: string, text: string, { changeAnswer }: Alterations): string {
  const line = /^data: (.*)$/m.exec(text)?.[1];
  const answer = answerSchema.safeParse(JSON.parse(line ?? text)).data;
  if (answer === undefined || changeAnswer === undefined) return text;
  const { structuredContent, ...result } = answer.result;
  const altered = { ...result, structuredContent: changeAnswer(tool, structuredContent) };
  const json = JSON.stringify({ ...answer, result: altered });
  return line === undefined ? json : text.replace(line, () => json);
}

/** Nothing is compressed on the way, so that answers can be changed as text. */
function optionsOf(port: number, { method, headers, url }: IncomingMessage, body: Buffer) {
  const length = method === "POST" ? { "content-length": String(body.length) } : {};
  const plain = { ...headers, ...length, "accept-encoding": "identity" };
  return { host: "127.0.0.1", port, method, path: url, headers: plain };
}
