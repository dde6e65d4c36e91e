import { createHash } from "node:crypto";
import type { Actor } from "~/db/rpc.server";
import { approvePairing } from "~/nouns/pairings/pair.server";
import { startedPairingSchema } from "~/wire/pairings/contract";
import type { TestApp } from "../setup/app";

export type WaitingDesktop = { id: string; secret: string; cookie: string; response: Response };

/** A desktop that has asked for a code. */
export async function startPairing(
  { origin }: Pick<TestApp, "origin">,
  headers: HeadersInit = {},
): Promise<WaitingDesktop> {
  const response = await fetch(`${origin}/api/auth/pair/start`, { method: "POST", headers });
  const body = startedPairingSchema.parse(await response.clone().json());
  const cookie = (response.headers.get("set-cookie") ?? "").split(";")[0] ?? "";
  return { id: body.pairingId, secret: body.mobileSecret, cookie, response };
}

export function claim(
  app: TestApp,
  desktop: Pick<WaitingDesktop, "id" | "cookie">,
  extra: { cookie?: string; headers?: Record<string, string> } = {},
): Promise<Response> {
  return app.send(
    "POST",
    "/api/auth/pair/claim",
    { pairingId: desktop.id },
    { cookie: [desktop.cookie, extra.cookie].filter(Boolean).join("; "), ...extra.headers },
  );
}

export function approve(actor: Actor, desktop: Pick<WaitingDesktop, "id" | "secret">) {
  return approvePairing(actor, { pairing_id: desktop.id, secret: desktop.secret });
}

export function setCookieOf(response: Response, name: string): string | undefined {
  return response.headers.getSetCookie().find((line) => line.startsWith(`${name}=`));
}

export function sha256(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
