import { connect } from "node:net";

export interface RawResponse {
  /** 0 when the server closed the connection without an answer. */
  status: number;
  headers: Record<string, string>;
  body: string;
}

/** Sends bytes that no HTTP client would send, and reads until the server closes the connection. */
export function rawRequest(port: number, message: string | Uint8Array): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1", () => socket.write(message));
    const chunks: Buffer[] = [];
    socket.on("data", (chunk) => chunks.push(chunk));
    socket.on("error", reject);
    socket.on("close", () => resolve(parse(Buffer.concat(chunks).toString("latin1"))));
  });
}

/** A request as text: request line, Host, `Connection: close` and what else is given. */
export function rawGet(target: string, lines: readonly string[] = [], method = "GET"): string {
  const hasHost = lines.some((line) => line.toLowerCase().startsWith("host"));
  const head = [`${method} ${target} HTTP/1.1`, ...(hasHost ? [] : ["Host: 127.0.0.1"]), ...lines, "Connection: close"];
  return `${head.join("\r\n")}\r\n\r\n`;
}

function parse(text: string): RawResponse {
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const headers = lines.map((line): [string, string] => {
    const at = line.indexOf(":");
    return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
  });
  return {
    status: Number(first.split(" ")[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: rest.join("\r\n\r\n"),
  };
}
