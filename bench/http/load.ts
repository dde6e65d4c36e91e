import { connect, type Socket } from "node:net";

export interface Load {
  port: number;
  connections: number;
  milliseconds: number;
  /** The bytes of the next request. */
  next(): Buffer;
}

/** A request as it goes over the socket; with a body it is JSON. */
export function requestOf(method: string, path: string, credential: string, body = ""): Buffer {
  const head = [`${method} ${path} HTTP/1.1`, "Host: 127.0.0.1", ...(credential ? [credential] : [])];
  if (body) head.push("Content-Type: application/json", `Content-Length: ${body.length}`);
  return Buffer.from(`${head.join("\r\n")}\r\n\r\n${body}`);
}

export interface Measured {
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  failures: number;
}

/** A closed loop over raw sockets: each connection sends its next request when the last is answered. */
export async function measure(load: Load): Promise<Measured> {
  const times: number[] = [];
  let failures = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + load.milliseconds;
  const loops = Array.from({ length: load.connections }, () =>
    runConnection(load, endsAt, (milliseconds, status) => {
      times.push(milliseconds);
      if (status < 200 || status > 299) failures += 1;
    }),
  );
  await Promise.all(loops);
  const seconds = (performance.now() - startedAt) / 1_000;
  times.sort((a, b) => a - b);
  return {
    perSecond: times.length / seconds,
    p50: times[Math.floor(times.length * 0.5)] ?? Number.NaN,
    p99: times[Math.floor(times.length * 0.99)] ?? Number.NaN,
    failures,
  };
}

function runConnection(
  load: Load,
  endsAt: number,
  note: (milliseconds: number, status: number) => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(load.port, "127.0.0.1");
    const reader = new AnswerReader();
    let sentAt = 0;
    const send = () => {
      sentAt = performance.now();
      socket.write(load.next());
    };
    socket.setNoDelay(true);
    socket.on("connect", send);
    socket.on("error", reject);
    socket.on("data", (chunk: Buffer) => {
      const status = reader.read(chunk);
      if (status === undefined) return;
      const now = performance.now();
      note(now - sentAt, status);
      if (now < endsAt) send();
      else finish(socket, resolve);
    });
  });
}

function finish(socket: Socket, resolve: () => void): void {
  socket.once("close", () => resolve());
  socket.destroy();
}

/** The end of an answer that is sent in chunks. */
const lastChunk = "\r\n0\r\n\r\n";

/** Reads answers with a content-length and answers in chunks, without keeping their bodies. */
class AnswerReader {
  #head = "";
  #status = 0;
  /** Bytes that are still to come; Infinity for an answer in chunks. */
  #missing = -1;
  #tail = "";

  /** The status once the answer is complete. */
  read(chunk: Buffer): number | undefined {
    if (this.#missing < 0) {
      this.#head += chunk.toString("latin1");
      const end = this.#head.indexOf("\r\n\r\n");
      if (end < 0) return undefined;
      this.#status = Number(this.#head.slice(9, 12));
      this.#missing = this.#lengthOfBody() - (this.#head.length - end - 4);
      this.#tail = this.#head.slice(end + 2).slice(-lastChunk.length);
    } else {
      this.#missing -= chunk.length;
      const last = chunk.toString("latin1", Math.max(0, chunk.length - lastChunk.length));
      this.#tail = (this.#tail + last).slice(-lastChunk.length);
    }
    const isComplete = this.#missing <= 0 || (this.#missing === Infinity && this.#tail === lastChunk);
    if (!isComplete) return undefined;
    this.#head = "";
    this.#missing = -1;
    return this.#status;
  }

  #lengthOfBody(): number {
    if (/\r\ntransfer-encoding: chunked/i.test(this.#head)) return Infinity;
    const [, length = "0"] = /\r\ncontent-length: (\d+)/i.exec(this.#head) ?? [];
    return Number(length);
  }
}
