import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  dynamicClientRegistration,
  None,
  randomPKCECodeVerifier,
  randomState,
  refreshTokenGrant,
  tokenRevocation,
} from "openid-client";
import { expect, it } from "vitest";
import { createProduct } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";
import { decide, listTools, loopbackRedirect, sentTo } from "./program";

const { t, app } = await openApp({ pages: ["authorize"] });
const ada = await t.createUser();
const shop = await createProduct(t.actorOf(ada), { code: "SHOP", name: "Shop" });

/** A certified client that knows nothing of MCP: it holds the metadata and every answer against the RFCs. */
it("openid-client finds the server, registers, signs in with PKCE, refreshes and revokes", async () => {
  const config = await dynamicClientRegistration(
    new URL(app.origin),
    { client_name: "Second opinion", redirect_uris: [loopbackRedirect], token_endpoint_auth_method: "none" },
    None(),
    { algorithm: "oauth2", execute: [allowInsecureRequests] },
  );
  expect(config.serverMetadata()).toMatchObject({
    issuer: app.origin,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  });
  expect(config.serverMetadata().supportsPKCE()).toBe(true);

  const resource = `${app.origin}/mcp`;
  const [verifier, state] = [randomPKCECodeVerifier(), randomState()];
  const address = buildAuthorizationUrl(config, {
    redirect_uri: loopbackRedirect,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    scope: "read plan",
    resource,
    state,
  });
  const choice = { products: [shop.id], scopes: ["read", "plan"] };
  const cookie = await app.signIn(ada);
  const path = `${address.pathname}${address.search}`;
  const answer = sentTo(await decide(app, path, cookie, choice));
  const checks = { pkceCodeVerifier: verifier, expectedState: state };

  const foreign = new URL(answer);
  foreign.searchParams.set("iss", "https://evil.example");
  await expect(authorizationCodeGrant(config, foreign, checks, { resource })).rejects.toThrow();

  const first = await authorizationCodeGrant(config, answer, checks, { resource });
  expect(first.token_type).toBe("bearer");
  expect((await listTools(app, first.access_token)).status).toBe(200);
  const next = await refreshTokenGrant(config, first.refresh_token ?? "", { resource });
  expect(next.refresh_token).not.toBe(first.refresh_token);
  expect((await listTools(app, next.access_token)).status).toBe(200);
  await expect(refreshTokenGrant(config, "never given")).rejects.toMatchObject({ error: "invalid_grant" });
  await tokenRevocation(config, next.refresh_token ?? "");
  expect((await listTools(app, next.access_token)).status).toBe(401);
});
