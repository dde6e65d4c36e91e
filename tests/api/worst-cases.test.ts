import { expect, it } from "vitest";
import { z } from "zod";
import { allTools, workerTools } from "~/mcp/offers.server";
import { openApp } from "../setup/app";
import { addressOf, routesFromSources } from "../setup/route-build";
import { healthBeside } from "../setup/thread-work";
import { bearer } from "../setup/world";

/** What the service promises for its health, no matter what else is sent (milliseconds). */
const promised = 250;
const size = 1_000_000;

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser({ role: "ADMIN" });
const backlog = await t.seedBacklog(owner);
const cookie = await app.signIn(owner);
const token = await t.createToken(owner);
const { routes } = await routesFromSources({ pages: true });
type Route = (typeof routes)[string];

const repeat = (text: string) => text.repeat(Math.floor(size / text.length));
const json: Record<string, string> = {
  "zeros in a number": `{"status":"done","a":0.1${repeat("0")}1}`,
  digits: `{"a":${repeat("1")}}`,
  lists: "[".repeat(size / 2) + "]".repeat(size / 2),
  objects: `${repeat('{"a":')}`,
  values: `[${repeat("0,")}0]`,
  quotes: `{"a":"${repeat('\\"')}"}`,
  "a long text": JSON.stringify({ content: repeat("*a_"), type: "IMPLEMENTATION_PLAN" }),
};
const form: Record<string, string> = {
  "a list of billions": "a%5B4294967294%5D=1",
  "nested names": `${repeat("a.")}a=1`,
  "nested lists": `${repeat("a%5B0%5D")}=1`,
  fields: repeat("a&"),
  "a long text": `intent=edit&title=${repeat("*a_")}`,
  percents: `identifier=${repeat("%41")}&email=${repeat("%41")}`.slice(0, size),
};

const part = (name: string, text: string) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;
const multipart: Record<string, string> = {
  "a list of billions": `${part("a[4294967294]", "1")}--b--\r\n`,
  "a long name": `${part(repeat("a."), "1")}--b--\r\n`,
  parts: `${repeat(part("a", ""))}--b--\r\n`,
  "half boundaries": `${part("a", repeat("\r\n--"))}--b--\r\n`,
  "headers without end": `--b\r\n${repeat("a: b\r\n")}`,
  "headers in every part": `${repeat(`--b\r\n${"a: b\r\n".repeat(600)}\r\n`)}--b--\r\n`,
  "a long text": `${part("intent", "edit")}${part("title", repeat("*a_"))}--b--\r\n`,
  "a file in many lines": `${part('picture"; filename="a.png', repeat("\r\n"))}--b--\r\n`,
};

/** What a tool may be given next to what it asks for; each is for one of its arguments. */
const worstArguments = [
  repeat("*a_").slice(0, 90_000),
  repeat("T-1").slice(0, 90_000),
  `T-${repeat("0").slice(0, 90_000)}`,
  Array.from({ length: 20_000 }, () => "T-1"),
  Array.from({ length: 10_000 }, () => ({ a: [] })),
  Array.from({ length: 50 }).reduce<unknown>((inner) => ({ a: inner }), 1),
  -1e308,
];

const pathOf = addressOf(routes, backlog);

const doors = Object.values(routes)
  .filter(({ module }) => module.action !== undefined)
  .map((route) => ({
    path: pathOf(route) || "/",
    isApi: /^routes\/(api|hooks|mcp|openapi|oauth|revoke|token)\b/.test(route.id),
    isForPrograms: /^routes\/(oauth|revoke|token)\b/.test(route.id),
    methods: methodsOf(route).filter((method) => /^(POST|PUT|PATCH)$/.test(method)),
  }))
  .filter(({ path }) => !path.includes("*"));
const pages = [...new Set(doors.filter(({ isApi }) => !isApi).map(({ path }) => path))];
const endpoints = doors.filter(({ isApi, methods }) => isApi && methods.length > 0);
/** Endpoints of OAuth take forms too, and judge them themselves. */
const programForms = doors.filter(({ isForPrograms }) => isForPrograms).map(({ path }) => path);

/** What an endpoint takes with a body; any other method is refused by its name. */
function methodsOf({ module: { action } }: Route): string[] {
  return action && "methods" in action ? z.array(z.string()).parse(action.methods) : [];
}

/** The thread works no longer than promised during this request, which does not fail. */
async function holdsNoOneUp(work: Promise<Response>, kind?: string): Promise<void> {
  const { longest, status } = await healthBeside(app, work);
  expect(status).toBeLessThan(500);
  expect(longest, kind).toBeLessThan(promised);
}

const send = (path: string, type: string, body: string, method = "POST") =>
  app.request(path, {
    method,
    headers: { "content-type": type, ...(type.includes("form") ? { cookie } : bearer(token)) },
    body,
  });

const urlEncoded = "application/x-www-form-urlencoded";
/** Every form is judged in one place before its page sees it, so what is refused there is sent to the first page alone. */
const isJudgedBefore = (path: string, kind: string) => path !== pages[0] && !reachPages.has(kind);
const reachPages = new Set(["a long text", "percents"]);
const refusal = await send(pages[0] ?? "", urlEncoded, "a.a=1");
const refused = [422, await refusal.text()];

it("The worst input is tried on more than 25 page forms and 10 endpoints", () => {
  expect(pages.length).toBeGreaterThan(25);
  expect(endpoints.length).toBeGreaterThan(10);
  expect(programForms).toHaveLength(3);
});

it.each(pages)("The worst form sent to %s holds no one up", async (path) => {
  for (const [kind, body] of Object.entries(form)) {
    if (isJudgedBefore(path, kind)) continue;
    await holdsNoOneUp(send(path, urlEncoded, body), kind);
  }
  const answer = await send(path, urlEncoded, "a.a=1");
  const said = [answer.status, await answer.text()];
  // Some take no form at all, no matter what is in it.
  if (answer.status !== 405) expect(said).toEqual(refused);
});

it.each(programForms)("The worst form that a program sends to %s holds no one up", async (path) => {
  for (const [kind, body] of Object.entries(form)) {
    await holdsNoOneUp(send(path, urlEncoded, body), kind);
  }
});

it.each(endpoints)("The worst JSON sent to $path holds no one up", async ({ path, methods }) => {
  for (const [kind, body] of Object.entries(json)) {
    for (const method of methods) {
      await holdsNoOneUp(send(path, "application/json", body, method), kind);
    }
  }
});

it.each(pages)("The worst form with files sent to %s holds no one up", async (path) => {
  for (const [kind, body] of Object.entries(multipart)) {
    if (isJudgedBefore(path, kind)) continue;
    await holdsNoOneUp(send(path, "multipart/form-data; boundary=b", body), kind);
  }
});

it.each([...new Set([...allTools.tools, ...workerTools.tools])])(
  "The worst arguments of the tool $name hold no one up",
  async ({ name, inputSchema }) => {
    const names = Object.keys(z.looseObject({}).parse(inputSchema.properties ?? {}));
    for (const [index, worst] of worstArguments.entries()) {
      const given = Object.fromEntries(names.map((argument) => [argument, worst]));
      const params = { name, arguments: given };
      const body = JSON.stringify({ jsonrpc: "2.0", id: index, method: "tools/call", params });
      await holdsNoOneUp(send("/mcp", "application/json", body), String(worst).slice(0, 40));
    }
  },
);

it("The worst JSON sent by a stranger holds no one up", async () => {
  const path = `/api/tasks/${backlog.task.id}`;
  for (const [kind, body] of Object.entries(json)) {
    const headers = { ...bearer("x"), "content-type": "application/json" };
    const work = app.request(path, { method: "PATCH", headers, body });
    await holdsNoOneUp(work, kind);
    expect((await work).status).toBe(401);
  }
});

it.each(["*a_".repeat(33_000), ">".repeat(1_000), "- a\n".repeat(25_000)])(
  "The worst description of a story holds no one up",
  async (description) => {
    const { story } = backlog;
    await t.query`update public.stories set description = ${description} where id = ${story.id}`;
    await holdsNoOneUp(app.request(`/stories/${story.id}`, { headers: { cookie } }));
  },
);
