import type { EmbeddedSecrets } from "../secrets";
import { openAuthAdmin } from "./auth-admin";
import { createLiteApp, type Mail } from "./lite-app";

export interface Gateway {
  /** Answers /auth/v1 and /rest/v1 like the HTTP gateway of a Supabase project. */
  fetch: typeof fetch;
  close(): Promise<void>;
}

export interface GatewayOptions {
  /** Address of the database for a login role. */
  urlFor(role: string): string;
  secrets: EmbeddedSecrets;
  siteUrl: string;
  sendMail: (mail: Mail) => Promise<void>;
}

/**
 * Auth and Data API in this process, with two logins as on a hosted project: Auth owns schema auth and sees nothing
 * else; the Data API owns nothing and switches to the role in the token.
 */
export function openGateway(options: GatewayOptions): Gateway {
  const { urlFor, secrets, siteUrl, sendMail } = options;
  const catalogUrl = urlFor("postgres");
  const make = (role: string, connections: number) =>
    once(() =>
      createLiteApp({
        databaseUrl: urlFor(role),
        catalogUrl,
        connections,
        secrets,
        siteUrl,
        sendMail,
      }),
    );
  const auth = make("supabase_auth_admin", 3);
  const data = make("authenticator", 8);
  const admin = once(() =>
    openAuthAdmin(options.urlFor("supabase_auth_admin"), options.secrets.secretKey),
  );
  return {
    async fetch(input, init) {
      const request = new Request(input, init);
      const { pathname } = new URL(request.url);
      if (pathname.startsWith("/auth/v1/admin/users")) {
        const answer = await admin.get().answer(request);
        if (answer) return answer;
      }
      if (pathname.startsWith("/auth/v1/")) return auth.get().fetch(request);
      if (pathname.startsWith("/rest/v1/")) return data.get().fetch(request);
      return Response.json({ message: "no Route matched with those values" }, { status: 404 });
    },
    async close() {
      await Promise.all([auth.peek()?.close(), data.peek()?.close(), admin.peek()?.close()]);
    },
  };
}

/** Creates a value on first use, so that the start does not wait for it. */
function once<T>(make: () => T): { get(): T; peek(): T | undefined } {
  let made: T | undefined;
  return {
    get() {
      made ??= make();
      return made;
    },
    peek: () => made,
  };
}
