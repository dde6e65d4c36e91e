import { type CookieMethodsServer, parseCookieHeader, serializeCookieHeader } from "@supabase/ssr";
import type { Env } from "~/env.server";
import { ownCookie } from "./session.server";

const path = "/recover";
const maxAge = 3600;

/** State that Supabase Auth keeps between the request for a recovery and its end, in cookies scoped to /recover. */
export interface RecoveryCookies {
  methods: CookieMethodsServer;
  /** Resolves once Supabase Auth has set cookies. */
  stored: Promise<void>;
  /** `Set-Cookie` values that store the state. */
  keep(): string[];
  /** `Set-Cookie` values that clear the state. */
  forget(): string[];
}

/** Builds the cookie storage for one recovery request. */
export function recoveryCookies(
  request: Request,
  env: Pick<Env, "secureCookies" | "appOrigin">,
): RecoveryCookies {
  const prefix = ownCookie("recover_", env);
  const options = { path, httpOnly: true, sameSite: "lax", secure: env.secureCookies } as const;
  const sent = parseCookieHeader(request.headers.get("cookie") ?? "");
  const own = sent.flatMap(({ name, value }) =>
    value && name.startsWith(prefix) ? { name: name.slice(prefix.length), value } : [],
  );
  const set: { name: string; value: string }[] = [];
  let markStored: () => void = () => undefined;
  const stored = new Promise<void>((resolve) => {
    markStored = resolve;
  });
  return {
    stored,
    methods: {
      getAll: () => own,
      setAll(cookies) {
        set.push(...cookies.filter(({ value }) => value !== ""));
        markStored();
      },
    },
    keep: () =>
      set.map(({ name, value }) =>
        serializeCookieHeader(prefix + name, value, { ...options, maxAge }),
      ),
    forget: () =>
      own.map(({ name }) => serializeCookieHeader(prefix + name, "", { ...options, maxAge: 0 })),
  };
}
