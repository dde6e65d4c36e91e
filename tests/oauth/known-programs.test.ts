import { expect, it } from "vitest";
import { z } from "zod";
import { createProduct } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";
import { type KnownProgram, knownPrograms } from "./known-programs";
import { loseTheInternet } from "./names-that-lead-nowhere";
import { authorizePath, decide, listTools, makeProof, postForm, readTokens, sentTo } from "./program";

loseTheInternet();
const { t, app } = await openApp({ pages: ["authorize"] });
const ada = await t.createUser({ username: "ada" });
const shop = await createProduct(t.actorOf(ada), { code: "SHOP", name: "Shop" });
const resource = `${app.origin}/mcp`;

async function clientIdOf({ clientId, registers }: KnownProgram): Promise<string> {
  if (clientId !== undefined) return clientId;
  const answer = await app.send("POST", "/register", registers);
  expect(answer.status).toBe(201);
  const registered = await answer.json();
  // Whatever it asked for: who gets no secret sends none.
  expect(registered).toMatchObject({ token_endpoint_auth_method: "none" });
  expect(registered).not.toHaveProperty("client_secret");
  return z.object({ client_id: z.string() }).parse(registered).client_id;
}

it.each(knownPrograms)("$name signs in, works and refreshes", async (program) => {
  expect((await listTools(app, "")).status).toBe(401);
  for (const [path, status] of program.reads) {
    expect((await app.request(path)).status, path).toBe(status);
  }
  const { redirectUri, scope, state } = program;
  const clientId = await clientIdOf(program);
  const { verifier, challenge } = makeProof();
  const wish = { clientId, challenge, redirectUri, state, ...(scope ? { scope } : {}) };
  const choice = { products: [shop.id], scopes: ["read", "plan", "work"] };
  const cookie = await app.signIn(ada);
  const to = sentTo(await decide(app, authorizePath(app, wish), cookie, choice));
  expect(to.href.startsWith(redirectUri)).toBe(true);
  expect(to.searchParams.get("state")).toBe(state);
  const token = await postForm(app, "/token", {
    grant_type: "authorization_code",
    code: to.searchParams.get("code") ?? "",
    code_verifier: verifier,
    redirect_uri: redirectUri,
    client_id: clientId,
    ...(program.namesResource.token ? { resource } : {}),
  });
  expect(token.status).toBe(200);
  const tokens = await readTokens(token);
  expect((await listTools(app, tokens.access_token)).status).toBe(200);
  const refreshed = await postForm(app, "/token", {
    grant_type: "refresh_token",
    refresh_token: tokens.refresh_token,
    client_id: clientId,
    ...(program.namesResource.refresh ? { resource } : {}),
  });
  expect(refreshed.status).toBe(200);
  expect((await listTools(app, (await readTokens(refreshed)).access_token)).status).toBe(200);
});
