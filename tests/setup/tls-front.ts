import { readFileSync } from "node:fs";
import net from "node:net";
import { join } from "node:path";
import { TLSSocket } from "node:tls";
import { portOf } from "./port-of";

const folder = join(import.meta.dirname, "../notices");
/** For localhost and 127.0.0.1, signed by no one whom the tests trust. */
export const frontCertificate = join(folder, "stranger-certificate.pem");
const frontKey = join(folder, "stranger-certificate-key.pem");

export interface TlsFront {
  port: number;
  /** How many bytes came that were not encrypted, apart from the question whether to encrypt. */
  plainBytes(): number;
  close(): Promise<void>;
}

/** The eight bytes with which a client asks Postgres for TLS. */
const question = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47]);

/**
 * What stands before a hosted Postgres: TLS with a certificate of no one known, or, with `speaksTls` off, the answer
 * that there is none. What is decrypted continues to the real Postgres.
 */
export async function startTlsFront(target: number, speaksTls = true): Promise<TlsFront> {
  let plain = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((client) => {
    sockets.add(client);
    client.on("error", () => client.destroy());
    client.once("data", (first) => {
      if (!first.equals(question)) {
        plain += first.length;
        return client.destroy();
      }
      if (!speaksTls) {
        client.on("data", (more) => {
          plain += more.length;
        });
        return void client.write("N");
      }
      client.write("S");
      const encrypted = new TLSSocket(client, {
        isServer: true,
        cert: readFileSync(frontCertificate),
        key: readFileSync(frontKey),
      });
      const upstream = net.connect(target, "127.0.0.1");
      sockets.add(upstream);
      for (const socket of [encrypted, upstream]) socket.on("error", () => socket.destroy());
      encrypted.pipe(upstream).pipe(encrypted);
    });
  });
  const port = await portOf(server);
  return {
    port,
    plainBytes: () => plain,
    close() {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
