import { type LimitedAction, takeLimit } from "~/nouns/accounts/take-limit.server";
import type { RequestContext } from "~/server/load-context";
import { openBodyLimit } from "~/server/read-body";
import { addressLimitKey } from "./client-address.server";

/**
 * Reads the body of a caller who has not signed in: first the request counts for its address, then little is read.
 * Pages count apart from programs, so that requests to `/token` lock no one behind the same address out of sign-in.
 */
export async function readOpenBody(
  context: RequestContext,
  {
    limit = "open_door",
    bodyLimit = openBodyLimit,
    isPage = false,
  }: {
    limit?: LimitedAction | undefined;
    bodyLimit?: number | undefined;
    isPage?: boolean;
  } = {},
): Promise<Uint8Array<ArrayBuffer>> {
  const address = addressLimitKey(context.clientAddress);
  await takeLimit(context.services.database, limit, isPage ? `page ${address}` : address);
  return context.readBody(bodyLimit);
}
