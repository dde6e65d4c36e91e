import { expect, it } from "vitest";
import { openBacklog } from "../setup/app";
import { addressOf, routesFromSources } from "../setup/route-build";
import { snapshotTables } from "../setup/table-snapshot";
import { bearer } from "../setup/world";

/** Writes that no account is asked for, and why. Everything else with an action refuses demo accounts. */
const open: Readonly<Record<string, string>> = {
  "_auth.login": "signs in",
  "_auth.register": "makes an account of one's own",
  "_auth.recover": "proves itself by a message to the account's address",
  logout: "ends one's own session",
  theme: "sets a cookie; with a demo account nothing else",
  "api.auth.pair.start": "a desktop without an account",
  "api.auth.pair.claim": "a desktop without an account; what it gets is the approver's",
  "api.cron.cleanup-agent-artifacts": "the schedule's secret",
  "api.cron.expire-questions": "the schedule's secret",
  authorize: "a demo account may let a program read",
  token: "a program without an account; what it gets is its person's",
  revoke: "a program gives its own access back",
  "oauth.register": "a program without an account",
  "hooks.in.$key": "a service without an account; the key in the address is the owner's",
  mcp: "tools that write are neither listed nor run for demo accounts",
  "mcp.all": "tools that write are neither listed nor run for demo accounts",
  "mcp.worker": "tools that write are neither listed nor run for demo accounts",
};

const { t, app, backlog } = await openBacklog({ pages: true });
const demo = await t.createUser({ demo: true });
await t.addMember(backlog.product.id, demo);
const cookie = await app.signIn(demo);
const token = await t.createToken(demo);
const { routes } = await routesFromSources({ pages: true });

const pathOf = addressOf(routes, backlog);
type Route = (typeof routes)[string];
const writes = Object.values(routes)
  .map((route) => ({ route, name: route.id.replace(/^routes\/|\/route$/g, "") }))
  .filter(({ route }) => route.module.action !== undefined);
const isApi = (name: string) => /^(api|mcp|openapi|skills|\[\.\]well-known)(?!\w)/.test(name);

function writeMethods({ module }: Route): string[] {
  const { action } = module;
  const methods: unknown = action && "methods" in action ? action.methods : [];
  const all = Array.isArray(methods) ? methods.map(String) : [];
  return all.filter((method) => !["GET", "HEAD", "OPTIONS"].includes(method));
}

const judged = writes.filter(({ name }) => !(name in open));
const pages = judged.filter(({ name }) => !isApi(name));
const endpoints = judged
  .filter(({ name }) => isApi(name))
  .flatMap(({ route, name }) => writeMethods(route).map((method) => ({ route, name, method })));

it("Every write that is listed as open to demo accounts exists", () => {
  const names = new Set(writes.map(({ name }) => name));
  expect(Object.keys(open).filter((name) => !names.has(name))).toEqual([]);
  expect(pages.length).toBeGreaterThan(20);
  expect(endpoints.length).toBeGreaterThan(1);
});

it.each(pages)("The form of $name refuses a demo account before it reads the body", async ({ route }) => {
  const before = await snapshotTables(t);
  const address = `${pathOf(route) || "/"}?_data=${encodeURIComponent(route.id)}`;
  const body = new URLSearchParams({ intent: "nothing" });
  const answer = await app.request(address, { method: "POST", headers: { cookie }, body });
  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain("demo account");
  expect(await snapshotTables(t)).toEqual(before);
});

it.each(endpoints)("$method of $name refuses a demo account before it reads the body", async ({ route, method }) => {
  const before = await snapshotTables(t);
  const headers = { ...bearer(token), "content-type": "application/json" };
  for (const body of ["{", "{}"]) {
    const answer = await app.request(pathOf(route), { method, headers, body });
    expect(answer.status).toBe(403);
  }
  expect(await snapshotTables(t)).toEqual(before);
});
