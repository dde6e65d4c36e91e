import { type CookieMethodsServer, parseCookieHeader, serializeCookieHeader } from "@supabase/ssr";
import type { Env } from "~/env.server";

const path = "/recover";
const maxAge = 3600;

/** What Supabase Auth remembers between asking for a recovery and finishing it, in cookies of this page alone. */
export interface RecoveryCookies {
  methods: CookieMethodsServer;
  /** Resolves once there is something to remember. */
  stored: Promise<void>;
  /** The `Set-Cookie` values that keep it. */
  keep(): string[];
  /** The `Set-Cookie` values that forget it. */
  forget(): string[];
}

export function recoveryCookies(
  request: Request,
  env: Pick<Env, "secureCookies">,
): RecoveryCookies {
  const options = { path, httpOnly: true, sameSite: "lax", secure: env.secureCookies } as const;
  const sent = parseCookieHeader(request.headers.get("cookie") ?? "");
  const own = sent.flatMap(({ name, value }) => (value && isOwn(name) ? { name, value } : []));
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
      set.map(({ name, value }) => serializeCookieHeader(name, value, { ...options, maxAge })),
    forget: () => own.map(({ name }) => serializeCookieHeader(name, "", { ...options, maxAge: 0 })),
  };
}

function isOwn(name: string): boolean {
  return name.startsWith("sb-");
}
