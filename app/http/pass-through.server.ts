import { type Actor, callAsRaw } from "~/db/rpc.server";
import { jsonText } from "./responses.server";

/**
 * One operation whose answer is the answer of the endpoint: JSON text from the database goes out as
 * it is, unparsed, after a single round trip.
 */
export async function passThrough(
  actor: Actor,
  operation: string,
  operationArguments: Record<string, unknown>,
  status = 200,
): Promise<Response> {
  return jsonText(await callAsRaw(actor, operation, operationArguments), { status });
}
