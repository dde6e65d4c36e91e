import { type Readable, Writable } from "node:stream";
import { type AnyMessage, ndJsonStream, type Stream } from "@agentclientprotocol/sdk/unstable";
import type { RunningProcess } from "../../base/process";

export const updateMethod = "_backloom/update";

/**
 * The agent's standard streams for the ACP client. The client drops updates that its own schema does not know, so they
 * are renamed to bypass it and parsed here.
 */
export function streamOf({ stdin, stdout }: RunningProcess): Stream {
  const { readable, writable } = ndJsonStream(Writable.toWeb(stdin), bytesOf(stdout));
  const renamed = new TransformStream<AnyMessage, AnyMessage>({
    transform(message, controller) {
      const isUpdate = "method" in message && message.method === "session/update";
      controller.enqueue(isUpdate ? { ...message, method: updateMethod } : message);
    },
  });
  return { readable: readable.pipeThrough(renamed), writable };
}

/** Ignores bytes that arrive after the reader has left. */
function bytesOf(stdout: Readable): ReadableStream<Uint8Array> {
  let isRead = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      stdout.on("data", (piece: Buffer) => isRead && controller.enqueue(new Uint8Array(piece)));
      stdout.on("end", () => isRead && controller.close());
    },
    cancel: () => {
      isRead = false;
    },
  });
}
