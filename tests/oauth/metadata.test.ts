import { expect, it } from "vitest";
import { openApp, startTestApp } from "../setup/app";
import { listTools } from "./program";

const { t, app } = await openApp();
const token = await t.createToken(await t.createUser());

const read = async (path: string, host?: string) => {
  const origin = host ? `http://${host}:${app.port}` : app.origin;
  const answer = await fetch(`${origin}${path}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toContain("application/json");
  return answer.json();
};

it.each(["/mcp", "/mcp/all", "/mcp/worker"])("The metadata names %s as a resource, path included", async (path) => {
  const document = await read(`/.well-known/oauth-protected-resource${path}`);
  expect(document).toMatchObject({ resource: `${app.origin}${path}`, authorization_servers: [app.origin] });
});

it("The metadata of a resource without a path is that of /mcp", async () => {
  const document = await read("/.well-known/oauth-protected-resource");
  expect(document).toMatchObject({ resource: `${app.origin}/mcp` });
});

it("The metadata has every endpoint at the root of the same origin, for programs without a secret", async () => {
  expect(await read("/.well-known/oauth-authorization-server")).toMatchObject({
    issuer: app.origin,
    authorization_endpoint: `${app.origin}/authorize`,
    token_endpoint: `${app.origin}/token`,
    registration_endpoint: `${app.origin}/register`,
    revocation_endpoint: `${app.origin}/revoke`,
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
    scopes_supported: ["read", "plan", "work"],
  });
});

it("The metadata names the host as it was typed, or as it is configured", async () => {
  const typed = `http://localhost:${app.port}`;
  const paths = ["/.well-known/oauth-authorization-server"];
  for (const path of paths) expect(await read(path, "localhost")).toMatchObject({ issuer: typed });
  expect(await read("/.well-known/oauth-protected-resource/mcp", "localhost")).toMatchObject({
    resource: `${typed}/mcp`,
    authorization_servers: [typed],
  });
  const configured = await startTestApp(t, { variables: { APP_ORIGIN: "https://backlog.example.com" } });
  const answer = await configured.request("/.well-known/oauth-authorization-server");
  expect(await answer.json()).toMatchObject({ issuer: "https://backlog.example.com" });
});

it("An unknown address under /.well-known is 404 as JSON", async () => {
  const places = ["openid-configuration", "oauth-protected-resource/api", "nothing"];
  for (const place of places) {
    const answer = await app.request(`/.well-known/${place}`);
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: 404 });
  }
});

it.each([
  ["/mcp", "read plan work"],
  ["/mcp/worker", "work"],
])("A 401 at %s says where to read how to sign in, and for what", async (path, scope) => {
  const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" });
  const headers = { "content-type": "application/json" };
  const without = await app.request(path, { method: "POST", headers, body });
  const document = `${app.origin}/.well-known/oauth-protected-resource${path}`;
  expect(without.status).toBe(401);
  expect(without.headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${document}", scope="${scope}"`);
  const wrong = await listTools(app, "blm_unknown", path);
  expect(wrong.status).toBe(401);
  expect(wrong.headers.get("www-authenticate")).toContain('error="invalid_token"');
  expect(wrong.headers.get("www-authenticate")).toContain(`resource_metadata="${document}"`);
  expect(await wrong.json()).toMatchObject({ code: 401, error: expect.stringMatching(/token/) });
});

it("A personal token is taken at /mcp, and a 401 at /api names no metadata", async () => {
  expect((await listTools(app, token)).status).toBe(200);
  const api = await app.request("/api/products");
  expect(api.headers.get("www-authenticate")).toBe("Bearer");
});
