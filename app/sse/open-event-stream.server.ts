import { z } from "zod";
import type { RequestContext } from "~/context/load-context";
import type { Actor } from "~/db/rpc.server";
import { streamStarted } from "~/http/responses.server";
import { canonicalId } from "~/http/validation.server";
import { authenticate } from "~/nouns/accounts/operations.server";
import { ContractError } from "~/wire/errors";
import { readEventId } from "./encode";
import { EventStream } from "./event-stream";
import type { StreamSource } from "./stream-source";

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/**
 * Answers a request with a stream (specification: Events). The first read checks access, so a refusal is an ordinary
 * response. After that the response belongs to the stream.
 */
export async function openEventStream(
  { request, context }: { request: Request; context: RequestContext },
  source: StreamSource,
): Promise<Response> {
  const { hub, streams, stopSignal } = context.services;
  const mark = hub.mark();
  const lastEventId = request.headers.get("last-event-id") ?? "";
  const state = await source.read(readEventId(lastEventId).place);
  const release = streams.take(state.limitKey, state.limit);
  if (context.closeSignal.aborted) {
    release();
    return streamStarted();
  }
  streams.endOn(stopSignal);
  context.sink.open(200, headers);
  const { sink, closeSignal, log } = context;
  const stream = new EventStream({ source, state, hub, streams, sink, closeSignal, log, release });
  try {
    stream.start(mark, lastEventId);
  } catch (error) {
    stream.fail(error);
  }
  return streamStarted();
}

export const productQuerySchema = z.object({ product_id: z.string().optional() });

/**
 * Returns the requested product id. Throws 400 if it is missing, but checks the credential first, so that strangers learn
 * nothing but 401 (specification: Solo stream).
 */
export async function productToWatch(
  actor: Actor,
  { product_id: productId }: z.infer<typeof productQuerySchema>,
): Promise<string> {
  if (productId) return canonicalId(productId);
  await authenticate(actor);
  throw new ContractError(400, "Say which product: ?product_id=<id>.");
}
