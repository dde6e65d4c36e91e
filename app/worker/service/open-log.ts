import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";

/** A file that takes all that a program prints, as it is. */
export interface Log {
  write(piece: Buffer): void;
  close(): Promise<void>;
}

/** The log is for the person at this machine: where it cannot be written, on a full disk for example, the work goes on without it. */
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
