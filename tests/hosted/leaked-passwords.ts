import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer as createProxy } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where Supabase Auth asks about leaked passwords; the address is built into it. */
const host = "api.pwnedpasswords.com";

export interface LeakedPasswords {
  /** Environment that leads Auth's requests here. */
  settings: Record<string, string>;
  stop(): Promise<void>;
}

/**
 * Answers in the place of the public list of leaked passwords: by the first five digits of a SHA-1, the rest of each
 * that begins so. Auth comes here through a proxy, and trusts a certificate made for this run.
 */
export async function serveLeakedPasswords(passwords: readonly string[]): Promise<LeakedPasswords> {
  const folder = mkdtempSync(join(tmpdir(), "backloom-leaked-"));
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const named = ["-subj", `/CN=${host}`, "-addext", `subjectAltName=DNS:${host}`];
  const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", ...named];
  execFileSync("openssl", [...made, "-keyout", key, "-out", cert], { stdio: "ignore" });

  const hashes = passwords.map((text) => createHash("sha1").update(text).digest("hex").toUpperCase());
  const list = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
    const prefix = (request.url ?? "").replace("/range/", "").toUpperCase();
    const found = hashes.filter((hash) => hash.startsWith(prefix));
    response.end(found.map((hash) => `${hash.slice(5)}:7`).join("\r\n"));
  });
  const proxy = createProxy().on("connect", (request, socket) => {
    if (request.url !== `${host}:443`) return socket.destroy();
    const there = connect((list.address() as AddressInfo).port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      there.pipe(socket).pipe(there);
    });
    for (const end of [there, socket]) end.on("error", () => end.destroy());
  });
  for (const server of [list, proxy]) {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
  }
  return {
    settings: { HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, SSL_CERT_FILE: cert },
    async stop() {
      for (const server of [list, proxy]) server.close().closeAllConnections();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
