import { createHash, randomBytes } from "node:crypto";
import { expect } from "vitest";
import { z } from "zod";
import type { TestApp } from "../setup/app";
import type { TestUser } from "../setup/world";

const tokensSchema = z.object({
  access_token: z.string(),
  token_type: z.literal("Bearer"),
  expires_in: z.number(),
  refresh_token: z.string(),
  scope: z.string(),
});
export type Tokens = z.infer<typeof tokensSchema>;

export const loopbackRedirect = "http://127.0.0.1:43111/callback";

/** A verifier and its challenge, as every program makes them again. */
export function makeProof() {
  const verifier = randomBytes(32).toString("base64url");
  const challenge = createHash("sha256").update(verifier).digest("base64url");
  return { verifier, challenge };
}

export async function register(
  app: TestApp,
  redirect_uris: readonly string[] = [loopbackRedirect],
  client_name = "Test program",
): Promise<string> {
  const answer = await app.send("POST", "/register", { client_name, redirect_uris });
  expect(answer.status).toBe(201);
  return z.object({ client_id: z.string() }).parse(await answer.json()).client_id;
}

export interface Wish {
  clientId: string;
  challenge: string;
  redirectUri?: string;
  resource?: string;
  scope?: string;
  state?: string;
}

export function authorizePath(app: TestApp, wish: Wish): string {
  const query = new URLSearchParams({
    response_type: "code",
    client_id: wish.clientId,
    redirect_uri: wish.redirectUri ?? loopbackRedirect,
    code_challenge: wish.challenge,
    code_challenge_method: "S256",
    resource: wish.resource ?? `${app.origin}/mcp`,
    ...(wish.scope === undefined ? {} : { scope: wish.scope }),
    ...(wish.state === undefined ? {} : { state: wish.state }),
  });
  return `/authorize?${query}`;
}

export type Choice = { products: readonly string[]; scopes: readonly string[]; decision?: "allow" | "deny" };

/** Presses a button of the consent page, as a browser without script does. */
export function decide(app: TestApp, path: string, cookie: string, choice: Choice) {
  const fields = new URLSearchParams();
  for (const id of choice.products) fields.append("product", id);
  for (const scope of choice.scopes) fields.append("scope", scope);
  fields.append("decision", choice.decision ?? "allow");
  const headers = { cookie, origin: app.origin };
  return app.request(path, { method: "POST", headers, body: fields });
}

export function sentTo(answer: Response): URL {
  expect(answer.status).toBe(303);
  return new URL(answer.headers.get("location") ?? "");
}

export function postForm(app: TestApp, path: string, fields: Record<string, string>): Promise<Response> {
  return app.request(path, { method: "POST", body: new URLSearchParams(fields) });
}

export type Stage = { app: TestApp; user: TestUser };

/** From registration to the code, without asking for tokens yet. */
export async function getCode(
  { app, user }: Stage,
  choice: Choice,
  wish: Partial<Wish> = {},
): Promise<{ code: string; clientId: string; verifier: string; redirectUri: string }> {
  const redirectUri = wish.redirectUri ?? loopbackRedirect;
  const clientId = wish.clientId ?? (await register(app, [redirectUri]));
  const { verifier, challenge } = makeProof();
  const path = authorizePath(app, { ...wish, clientId, challenge });
  const cookie = await app.signIn(user);
  const code = sentTo(await decide(app, path, cookie, choice)).searchParams.get("code");
  return { code: code ?? "", clientId, verifier, redirectUri };
}

export function redemption(got: Awaited<ReturnType<typeof getCode>>): Record<string, string> {
  return {
    grant_type: "authorization_code",
    code: got.code,
    client_id: got.clientId,
    code_verifier: got.verifier,
    redirect_uri: got.redirectUri,
  };
}

/** The whole way: a program with access to these products and scopes. */
export async function getAccess(stage: Stage, choice: Choice, wish: Partial<Wish> = {}) {
  const got = await getCode(stage, choice, wish);
  const answer = await postForm(stage.app, "/token", redemption(got));
  expect(answer.status, await answer.clone().text()).toBe(200);
  return { clientId: got.clientId, tokens: tokensSchema.parse(await answer.json()) };
}

export function refreshment(clientId: string, tokens: Tokens): Record<string, string> {
  return { grant_type: "refresh_token", client_id: clientId, refresh_token: tokens.refresh_token };
}

export const readTokens = async (answer: Response): Promise<Tokens> => tokensSchema.parse(await answer.json());

/** Asks for the list of tools; the status says whether the token is good there. */
export function listTools(app: TestApp, token: string, path = "/mcp"): Promise<Response> {
  return app.send("POST", path, { jsonrpc: "2.0", id: 1, method: "tools/list" }, { authorization: `Bearer ${token}` });
}
