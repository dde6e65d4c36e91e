import { expect, it } from "vitest";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();
const user = await t.createUser();
const pages = ["_app", "_app.connect"];

it.each([
  [undefined, /Clients on this machine can reach this address.*Hosted connectors.*cannot/],
  ["http://192.168.1.20:3000", /Clients in your network.*Hosted connectors.*cannot/],
  ["https://backlog.local", /Clients in your network.*Hosted connectors.*cannot/],
  ["http://backlog.example.com", /Hosted connectors.*ask for https/],
  ["https://backlog.example.com", /Every client reaches this address/],
])("The Connect page with the origin %s says which clients can reach it and what to paste", async (origin, words) => {
  const app = await startTestApp(t, { pages, variables: origin ? { APP_ORIGIN: origin } : {} });
  const cookie = await app.signIn(user);
  const host = origin ? new URL(origin).host : `127.0.0.1:${app.port}`;
  const answer = await app.request("/connect", { headers: { cookie } });
  expect(answer.status).toBe(200);
  const text = (await answer.text()).replaceAll("&#x27;", "'");
  expect(text).toMatch(words);
  expect(text).toContain(`${host}/mcp`);
});

it("The Connect page opened from a run starts with the worker's command and folds the rest", async () => {
  const app = await startTestApp(t, { pages });
  const cookie = await app.signIn(user);
  const answer = await app.request("/connect?for=worker", { headers: { cookie } });
  const [before, folded] = (await answer.text()).split("Agents that work without a worker");
  expect(before).toMatch(/Run a worker[\s\S]*Any other program[\s\S]*--exec your-program/);
  expect(before).not.toContain("/mcp");
  expect(folded).toContain("/mcp");
});
