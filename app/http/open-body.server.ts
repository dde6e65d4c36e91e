import { type LimitedAction, takeLimit } from "~/nouns/accounts/take-limit.server";
import type { RequestContext } from "~/server/load-context";
import { openBodyLimit } from "~/server/read-body";
import { addressLimitKey } from "./client-address.server";

/** Reads the body of somebody who has not signed in: first the request counts for its address, then little is read. */
export async function readOpenBody(
  context: RequestContext,
  {
    limit = "open_door",
    bodyLimit = openBodyLimit,
  }: { limit?: LimitedAction | undefined; bodyLimit?: number | undefined } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  await takeLimit(context.services.database, limit, addressLimitKey(context.clientAddress));
  return context.readBody(bodyLimit);
}
