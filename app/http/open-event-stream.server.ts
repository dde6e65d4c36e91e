import type { RequestContext } from "~/context/load-context";
import { readEventId } from "~/sse/encode";
import { EventStream } from "~/sse/event-stream";
import type { StreamSource } from "~/sse/stream-source";
import { streamStarted } from "./responses.server";

const headers = {
  "content-type": "text/event-stream",
  "cache-control": "no-store, no-transform",
  "x-accel-buffering": "no",
};

/** The first read checks access, so that a refusal is an ordinary response (specification: Events). */
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
