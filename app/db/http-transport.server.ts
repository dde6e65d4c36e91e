import { z } from "zod";
import { CallFailure } from "./call-failure.server";
import { type Door, longestWaitOf, type Transport } from "./statement.server";
import { answerInPlaces } from "./user-places.server";
import { WrittenJson } from "./written-json";

export interface HttpTransportOptions {
  supabaseUrl: string;
  secretKey: string;
  fetch: typeof fetch;
}

const problemSchema = z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() });

/** A project does not reveal its Data API's database connections. PostgREST's default is ten. */
const connections = 8;

/** Calls functions through the Data API, for hosted projects without a Postgres address. */
export function openHttpTransport(options: HttpTransportOptions): Transport {
  const callAtOnce: Transport["call"] = (door, values) => callOnce(options, door, values);
  return { call: answerInPlaces(connections, callAtOnce) };
}

async function callOnce(options: HttpTransportOptions, door: Door, values: Record<string, unknown>) {
  const address = `${options.supabaseUrl}/rest/v1/rpc/${door}`;
  const headers = {
    apikey: options.secretKey,
    // A legacy service_role key works only in this header. The gateway accepts an sb_secret_ key in both.
    authorization: `Bearer ${options.secretKey}`,
    "content-type": "application/json",
    accept: "application/json",
  };
  const response = await post(options.fetch, address, {
    method: "POST",
    headers,
    body: bodyOf(values),
    signal: AbortSignal.timeout(longestWaitOf(values)),
  });
  const text = await response.text().catch((cause: unknown) => {
    throw new CallFailure(connectionLost, "unknown", cause);
  });
  if (response.ok) return text === "" ? "null" : text;
  throw readProblem(response.status, text);
}

function bodyOf(values: Record<string, unknown>): string {
  const { p_arguments: given, ...others } = values;
  if (!(given instanceof WrittenJson)) return JSON.stringify(values);
  return `${JSON.stringify(others).slice(0, -1)},"p_arguments":${given.text}}`;
}

const connectionLost = { code: "08006", message: "The connection was lost", detail: null };

async function post(send: typeof fetch, address: string, init: RequestInit): Promise<Response> {
  try {
    return await send(address, init);
  } catch (cause) {
    throw new CallFailure(connectionLost, wasRefused(cause) ? "nothing happened" : "unknown", cause);
  }
}

/** True if the connection was never made, so nothing was sent. */
function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "UND_ERR_CONNECT_TIMEOUT";
}

/** Reads PostgREST's `{ code, message, details, hint }`. Error answers of a proxy in front have another shape. */
function readProblem(status: number, text: string): CallFailure {
  const parsed = problemSchema.safeParse(parseJson(text));
  if (!parsed.success) {
    const code = status === 502 || status === 503 || status === 504 ? "57P03" : `HTTP ${status}`;
    // A proxy that lost the answer sends 502 or 504, an overloaded one 503. The call may still have run.
    const outcome = status >= 500 ? "unknown" : "nothing happened";
    return new CallFailure({ code, message: text.slice(0, 500), detail: null }, outcome);
  }
  const { code, message, details } = parsed.data;
  const detail = typeof details === "string" ? details : null;
  // PGRST001: the Data API lost its connection to Postgres during the call.
  const outcome = code === "PGRST001" ? "unknown" : "nothing happened";
  return new CallFailure({ code, message, detail }, outcome);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
