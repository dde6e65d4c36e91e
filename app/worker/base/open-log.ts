import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** Raw output of a program. */
export interface Log {
  write(piece: Buffer): void;
  close(): Promise<void>;
}

/**
 * Opens a log for the worker's user. If it cannot be written, for example on a full disk, the work continues without
 * it.
 */
export function openLog(file: string | undefined): Log {
  if (file === undefined) return { write: () => undefined, close: async () => undefined };
  const stream = createWriteStream(file, { flags: "a" });
  stream.on("error", () => undefined);
  return {
    write: (piece) => void stream.write(piece),
    async close() {
      stream.end();
      await finished(stream).catch(() => undefined);
    },
  };
}
