import type { SupabaseClient } from "@supabase/supabase-js";
import { z } from "zod";
import { CallFailure } from "./call-failure.server";
import { longestWaitOf, type Transport } from "./statement.server";
import { answerInSlots } from "./user-slots.server";

/** A project does not reveal its Data API's database connections. PostgREST's default is ten. */
const connections = 8;

/** Calls functions through the Data API, for hosted projects without a Postgres address. */
export function openHttpTransport(client: Pick<SupabaseClient, "rpc">): Transport {
  const callAtOnce: Transport["call"] = async (door, values) => {
    const call = client.rpc(door, values).abortSignal(AbortSignal.timeout(longestWaitOf(values)));
    const { data, error } = await call;
    if (error !== null) throw failureOf(error);
    return JSON.stringify(data);
  };
  return { call: answerInSlots(connections, callAtOnce) };
}

/** After these the call may have run: the connection or its answer was lost, here or behind the Data API. */
const unknownAfter = /^(08006|PGRST001|HTTP 5\d\d)$/;

const problemSchema = z.object({ code: z.string(), message: z.string(), details: z.unknown().optional() });

/** Reads PostgREST's `{ code, message, details, hint }`. */
function failureOf(error: unknown): CallFailure {
  const { code, message, details } = problemSchema.parse(error);
  const detail = typeof details === "string" ? details : null;
  return new CallFailure({ code, message, detail }, unknownAfter.test(code) ? "unknown" : "nothing happened");
}

/** Answers in the Data API's form for a proxy: supabase-js takes its empty 404 for success, and hides lost calls. */
export function fetchData(send: typeof fetch): typeof fetch {
  return async (input, init) => {
    try {
      const answer = await send(input, init);
      const text = await answer.text();
      if (answer.ok || isProblem(text)) return new Response(text === "" ? null : text, answer);
      // A proxy that lost the answer sends 502 or 504, an overloaded one 503. The call may still have run.
      return problem([502, 503, 504].includes(answer.status) ? "08006" : `HTTP ${answer.status}`, text);
    } catch (cause) {
      return wasRefused(cause)
        ? problem("08001", "No connection was made")
        : problem("08006", "The connection was lost");
    }
  };
}

const isProblem = (text: string): boolean => problemSchema.safeParse(parseJson(text)).success;

const problem = (code: string, message: string): Response =>
  Response.json({ code, message: message.slice(0, 500), details: null }, { status: 503 });

/** True if the connection was never made, so nothing was sent. */
function wasRefused(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? cause.code : undefined;
  return code === "ECONNREFUSED" || code === "ENOTFOUND" || code === "UND_ERR_CONNECT_TIMEOUT";
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
