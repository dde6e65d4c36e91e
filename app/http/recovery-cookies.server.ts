import { type CookieMethodsServer, parseCookieHeader, serializeCookieHeader } from "@supabase/ssr";
import { z } from "zod";
import type { Env } from "~/env.server";
import { seal, unseal } from "~/nouns/identities/seal.server";
import { ownCookie } from "./session.server";

const path = "/recover";
const maxAge = 3600;
const provenSchema = z.object({ proof: z.string(), user_id: z.uuid(), until: z.number() });

/** State that Supabase Auth keeps between the request for a recovery and its end, in cookies scoped to /recover. */
export interface RecoveryCookies {
  methods: CookieMethodsServer;
  /** Resolves once Supabase Auth has set cookies. */
  stored: Promise<void>;
  keep(): string[];
  /** `Set-Cookie` values that clear the state. */
  forget(): string[];
  /** Whom this proof proved at an earlier try in this browser: Auth takes it only once. */
  provenBy(proof: string): Promise<string | null>;
  /** `Set-Cookie` value that remembers whom this proof proved. */
  keepProven(proof: string, userId: string): Promise<string>;
}

/** Builds the cookie storage for one recovery request. */
export function recoveryCookies(
  request: Request,
  env: Pick<Env, "secureCookies" | "appOrigin" | "sessionSecrets">,
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
  const proven = "proven";
  return {
    stored,
    async provenBy(proof) {
      const sealed = own.find(({ name }) => name === proven)?.value ?? "";
      const text = await unseal("recovery", sealed, env.sessionSecrets);
      const kept = provenSchema.safeParse(JSON.parse(text ?? "null")).data;
      return kept?.proof === proof && kept.until > Date.now() ? kept.user_id : null;
    },
    async keepProven(proof, userId) {
      const kept = { proof, user_id: userId, until: Date.now() + maxAge * 1000 };
      const sealed = await seal("recovery", JSON.stringify(kept), env.sessionSecrets);
      return serializeCookieHeader(prefix + proven, sealed, { ...options, maxAge });
    },
    methods: {
      getAll: () => own,
      setAll(cookies) {
        set.push(...cookies.filter(({ value }) => value !== ""));
        markStored();
      },
    },
    keep: () => set.map(({ name, value }) => serializeCookieHeader(prefix + name, value, { ...options, maxAge })),
    forget: () => own.map(({ name }) => serializeCookieHeader(prefix + name, "", { ...options, maxAge: 0 })),
  };
}
