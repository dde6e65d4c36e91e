import { describe, expect, it } from "vitest";

/** Who may make requests by themselves, and to whom; everything else leaves through `app/outgoing/post.server.ts`. */
const allowed: Readonly<Record<string, string>> = {
  "app/outgoing/post.server.ts": "the one way out",
  "app/server/scheduler.server.ts": "this service itself, at its own address",
  "app/server/http-server.ts": "listens, asks nobody",
  "app/db/database.server.ts": "the Supabase project of the environment",
  "app/routes/_auth.login/pairing-requests.ts": "the browser, to its own origin",
  "app/live/stream-connection.ts": "the browser, to its own origin",
  "app/live/patient-requests.ts": "the browser, to its own origin",
};

const texts = import.meta.glob<string>("../../app/**/*.{ts,tsx}", {
  query: "?raw",
  import: "default",
  eager: true,
});
/** What can make a request: fetch itself, Node's clients and sockets, and the sending of web-push. */
const ways = [
  /(?<![\w.#])fetch\(/,
  /^import (?!type)(?:(?!;)[\s\S])*? from "node:(?:https?|http2|net|tls|dgram)"/m,
  /\bsendNotification\(|["'](?:undici|axios|got|node-fetch)["']/,
];
/** `node:net` is asked what an address is, too; these names connect to nobody. */
const harmless =
  /^import \{ (?:(?:type )?(?:BlockList|isIP|isIPv4|isIPv6|AddressInfo|LookupFunction|Socket),? ?)+ \} from "node:net";$/gm;

describe("requests that leave", () => {
  it("go through the sender, or stand here with their reason", () => {
    const found = Object.entries(texts)
      .filter(([, text]) => ways.some((way) => way.test(text.replace(harmless, ""))))
      .map(([file]) => file.replace("../../", ""));
    expect(found.filter((file) => !(file in allowed))).toEqual([]);
    expect(found).toContain("app/outgoing/post.server.ts");
  });
});
