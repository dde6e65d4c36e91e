import {
  Client,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthTokens,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import {
  type OAuthClientProvider as EarlierProvider,
  UnauthorizedError as EarlierUnauthorized,
} from "@modelcontextprotocol/sdk/client/auth.js";
import { Client as EarlierClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as EarlierTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { expect, it } from "vitest";
import { createProduct } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";
import { decide, loopbackRedirect, sentTo } from "./program";

const { t, app } = await openApp({ pages: ["authorize"] });
const ada = await t.createUser({ username: "ada" });
const shop = await createProduct(t.actorOf(ada), { code: "SHOP", name: "Shop" });

/** What a program keeps between the steps, and a person who presses Allow where it opens a browser. */
function createKeeper() {
  const kept: { info?: OAuthClientInformationMixed; tokens?: OAuthTokens; verifier?: string; answer?: URL } = {};
  const provider = {
    redirectUrl: loopbackRedirect,
    clientMetadata: {
      client_name: "Official client",
      redirect_uris: [loopbackRedirect],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
    clientInformation: () => kept.info,
    saveClientInformation: (info: OAuthClientInformationMixed) => {
      kept.info = info;
    },
    tokens: () => kept.tokens,
    saveTokens: (tokens: OAuthTokens) => {
      kept.tokens = tokens;
    },
    saveCodeVerifier: (verifier: string) => {
      kept.verifier = verifier;
    },
    codeVerifier: () => kept.verifier ?? "",
    redirectToAuthorization: async (address: URL) => {
      const choice = { products: [shop.id], scopes: ["read", "plan", "work"] };
      const cookie = await app.signIn(ada);
      kept.answer = sentTo(await decide(app, `${address.pathname}${address.search}`, cookie, choice));
    },
  };
  return { kept, provider };
}

it.each(["/mcp", "/mcp/all", "/mcp/worker"])(
  "The official client signs in to %s with revision 2026-07-28 and refreshes",
  async (path) => {
    const { kept, provider } = createKeeper();
    const authProvider: OAuthClientProvider = provider;
    const url = new URL(`${app.origin}${path}`);
    const connect = async () => {
      const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "auto" } });
      const transport = new StreamableHTTPClientTransport(url, { authProvider });
      return { client, transport, connected: client.connect(transport) };
    };
    const first = await connect();
    await expect(first.connected).rejects.toThrow(UnauthorizedError);
    await first.transport.finishAuth(kept.answer?.searchParams ?? new URLSearchParams());
    const { client, connected } = await connect();
    await connected;
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    const earlier = kept.tokens;
    await t.query`update public.api_tokens set expires_at = now() - interval '1 second' where client_id is not null`;
    expect((await client.listTools()).tools.length).toBeGreaterThan(5);
    expect(kept.tokens).not.toEqual(earlier);
    await client.close();
  },
);

it("The official client signs in with the SDK 1 line and refreshes", async () => {
  const { kept, provider } = createKeeper();
  const authProvider: EarlierProvider = provider;
  const url = new URL(`${app.origin}/mcp`);
  const first = new EarlierTransport(url, { authProvider });
  const connecting = new EarlierClient({ name: "test", version: "1" }).connect(first);
  await expect(connecting).rejects.toThrow(EarlierUnauthorized);
  await first.finishAuth(kept.answer?.searchParams.get("code") ?? "");
  const client = new EarlierClient({ name: "test", version: "1" });
  await client.connect(new EarlierTransport(url, { authProvider }));
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  const earlier = kept.tokens;
  await t.query`update public.api_tokens set expires_at = now() - interval '1 second' where client_id is not null`;
  expect((await client.listTools()).tools.length).toBeGreaterThan(5);
  expect(kept.tokens).not.toEqual(earlier);
  await client.close();
});
