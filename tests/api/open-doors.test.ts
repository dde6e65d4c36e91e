import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { zipSync } from "fflate";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { stamp } from "~/nouns/identities/seal.server";
import { importFormats } from "~/wire/transfers/contract";
import { openApp } from "../setup/app";
import { routesFromSources } from "../setup/route-build";
import { healthBeside } from "../setup/thread-work";
import { bearer } from "../setup/world";

/** What the thread that answers everyone may work on one request of someone else, in milliseconds. */
const promised = 250;
const kilobyte = 1_024;

const secret = randomBytes(32).toString("base64url");
const { t, app } = await openApp({ pages: true, variables: { SESSION_SECRET: secret } });
const owner = await t.createUser({ role: "ADMIN" });
const stranger = await t.createUser();
const token = await t.createToken(owner);
const { routes } = await routesFromSources({ pages: true });
type Route = (typeof routes)[string];

function pathOf(route: Route | undefined): string {
  if (!route) return "";
  const parts = (route.path ?? "").split("/").filter((part) => part !== "");
  return pathOf(routes[route.parentId ?? ""]) + parts.map((part) => `/${part.replace(/^:.*/, "x")}`).join("");
}

type Described = { auth: string; name: string; bodyLimit?: number };
const endpointSchema = z.custom<{ description: Described }>(
  (value) => typeof value === "function" && "description" in value,
);
type Door = { path: string; method: string; described?: Described };
const endpointsSchema = z.record(z.string(), endpointSchema);

/** Every method with a body of every route: the endpoints with what they say of themselves, and the forms of pages. */
const doors = Object.values(routes).flatMap((route): Door[] => {
  const { action } = route.module;
  const path = pathOf(route) || "/";
  if (!action || path.includes("*")) return [];
  if (!("endpoints" in action)) return [{ path, method: "POST" }];
  return Object.entries(endpointsSchema.parse(action.endpoints))
    .filter(([method]) => /^(POST|PUT|PATCH)$/.test(method))
    .map(([method, { description: described }]) => ({ path, method, described }));
});

const fill = (size: number, text: string) => text.repeat(Math.floor(size / text.length));
const part = '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\r\n';
/** The small parts of which a body of this size may be made, by their type. */
const bodiesOf = (size: number): [type: string, body: string][] => [
  [
    "application/json",
    `{${Array.from({ length: Math.floor(size / 12) }, (_, n) => `"a${n}":1`).join(",")}}`.slice(0, size),
  ],
  ["application/json", `[${fill(size - 3, "0,")}0]`],
  ["application/x-www-form-urlencoded", fill(size, "a&")],
  [
    "application/x-www-form-urlencoded",
    Array.from({ length: Math.floor(size / 9) }, (_, n) => `a${n}=b`)
      .join("&")
      .slice(0, size),
  ],
  ["multipart/form-data; boundary=b", `${fill(size - 7, part)}--b--\r\n`],
  ["multipart/form-data; x-boundary=c; boundary=b", `${fill(size - 7, part)}--b--\r\n`],
];

const [large, small] = [bodiesOf(500 * kilobyte), bodiesOf(64 * kilobyte)];

/** The longest work that a 10 MB body may be to the thread: it is copied and passed on, not read. */
const promisedForUploads = 400;
const megabyte = 1_048_576;

describe("doors without an account", () => {
  it("More than 60 doors are tried without an account", () => {
    expect(doors.length).toBeGreaterThan(60);
    expect(doors.filter(({ described }) => described?.auth === "none").length).toBeGreaterThan(4);
  });

  it.each(doors)("$method $path without an account reads little, and costs others nothing", async (door) => {
    const { path, method, described } = door;
    const send = async (type: string, body: string) => {
      await t.query`delete from public.rate_limit_counters`;
      return app.request(path, { method, headers: { "content-type": type }, body });
    };
    for (const [type, body] of large) {
      const { longest, status } = await healthBeside(app, send(type, body));
      expect(longest, type).toBeLessThan(promised);
      // An endpoint with an account says 401 before it reads; pairing begins without a body.
      if (described?.name !== "startPairing") expect([400, 401, 405, 413], type).toContain(status);
    }
    for (const [type, body] of small) {
      const { longest, status } = await healthBeside(app, send(type, body));
      expect(status, type).toBeLessThan(500);
      expect(longest, type).toBeLessThan(promised);
    }
  });

  const statusOf = async (path: string) => {
    const headers = { "content-type": "application/x-www-form-urlencoded", cookie: `app_pair=${"x".repeat(43)}` };
    return (await app.request(path, { method: "POST", headers, body: "a=b" })).status;
  };

  it.each([
    ["programs", ["/token", "/revoke", "/api/auth/pair/claim"], "/login"],
    ["pages", ["/login", "/logout"], "/token"],
  ])("Requests of %s count before they are read, and lock out no others", async (_who, paths, other) => {
    for (const path of paths) await statusOf(path);
    await t.query`update rate_limit_counters set count = 600, window_start = private.now() where action = 'open_door'`;
    for (const path of paths) expect([path, await statusOf(path)]).toEqual([path, 429]);
    expect(await statusOf(other)).not.toBe(429);
    await t.query`delete from public.rate_limit_counters`;
  });
});

/** Files that an import may be, each 10 MB of what costs its reader most. */
const uploads: Record<string, () => Uint8Array> = {
  linear: () => bytes(`ID,Title,Status\n${fill(10 * megabyte - 100, "E,t,Todo\n")}`),
  jira: () => bytes(`${fill(10 * megabyte - 100, ",")}`),
  github: () => bytes(`[${fill(10 * megabyte - 100, "0,")}0]`),
  trello: () => bytes(`{"actions":[${fill(10 * megabyte - 100, "{},")}{}]}`),
  backloom: () => bytes(`${fill(5 * megabyte, "[")}${fill(5 * megabyte, "]")}`.slice(0, 10 * megabyte - 100)),
  "backlog-md": () => zipOfOne(8 * megabyte, 20_000),
  "spec-kit": () => zipOfOne(8 * megabyte, 20_000),
  openspec: () => zipOfOne(8 * megabyte, 20_000),
  beads: () => bytes(fill(10 * megabyte - 100, '{"id":"a","title":""}\n')),
};

const bytes = (text: string) => new TextEncoder().encode(text);

/** A zip whose entries all name the same stored bytes, and say that these come to nothing. */
function zipOfOne(size: number, entries: number): Uint8Array {
  const zip = zipSync({ "tasks/a.md": new Uint8Array(size) }, { level: 0 });
  const view = Buffer.from(zip);
  const directory = view.readUInt32LE(view.length - 6);
  const entry = Buffer.from(view.subarray(directory, view.length - 22));
  entry.writeUInt32LE(0, 24);
  const end = Buffer.from(view.subarray(view.length - 22));
  end.writeUInt16LE(entries, 8);
  end.writeUInt16LE(entries, 10);
  end.writeUInt32LE(entries * entry.length, 12);
  return Buffer.concat([view.subarray(0, directory), ...Array.from({ length: entries }, () => entry), end]);
}

const many = <Item>(count: number, item: Item): Item[] => Array.from({ length: count }, () => item);
const plainStory = {
  external_id: "a:1",
  code: null,
  title: "Story",
  description: "",
  acceptance_criteria: "",
  priority: 3,
  assignee: null,
  labels: [],
  blocked_by: [],
  log: [],
  ticked: [],
  tasks: [],
};
const draftOf = (count: number, story: object, others: object = {}) => ({
  pbis: [
    {
      code: null,
      title: "PBI",
      description: "",
      stories: Array.from({ length: count }, (_, at) => ({ ...plainStory, ...story, external_id: `a:${at}` })),
    },
  ],
  ideas: [],
  definition_of_done: "",
  left_out: [],
  statuses: [],
  ...others,
});

/** Drafts as the second step of the page sends them back, each as large as the limit that it breaks allows. */
const drafts: Record<string, () => object> = {
  "long texts": () => draftOf(590, { description: "a".repeat(99_000) }),
  "quotes and backslashes": () => draftOf(40, { description: "'\\".repeat(50_000) }),
  "letters of three bytes": () => draftOf(30, { description: "\u8a9e".repeat(100_000) }),
  stories: () => draftOf(20_000, {}),
  log: () => draftOf(5, { log: many(60_000, { content: "a", metadata: null }) }),
  ticked: () => draftOf(5, { ticked: many(300_000, "a") }),
  ideas: () => draftOf(1, {}, { ideas: many(90_000, { title: "a", description: "", archived_at: null }) }),
  left_out: () => draftOf(1, {}, { left_out: many(300_000, { count: 1, reason: "a" }) }),
  dependencies: () => draftOf(1, { blocked_by: many(300_000, "a:1") }),
  nothing: () => ({}),
};
const held = new Set(["quotes and backslashes", "letters of three bytes"]);

const tenMegabytes = bodiesOf(10 * megabyte);
const uploadDoors = doors.filter(({ described }) => (described?.bodyLimit ?? 0) > megabyte);

describe("doors with an account", () => {
  it("Every door for uploads and every import format is tried with an account", () => {
    expect(uploadDoors.map(({ described }) => described?.name).sort()).toEqual([
      "addFile",
      "importBacklog",
      "saveJobDiff",
    ]);
    expect(Object.keys(uploads).sort()).toEqual([...importFormats].sort());
  });

  it.each(uploadDoors)(
    "10 MB of small parts cost others nothing at $path",
    { tags: "thorough" },
    async ({ path, method }) => {
      for (const [type, body] of tenMegabytes) {
        const headers = { ...bearer(token), "content-type": type };
        const { longest, status } = await healthBeside(app, app.request(path, { method, headers, body }));
        expect([400, 404, 413, 422], type).toContain(status);
        expect(longest, type).toBeLessThan(promisedForUploads);
      }
    },
  );

  const cookie = app.signIn(owner);
  it.each(doors)(
    "10 MB cost others nothing at $method $path",
    { tags: "thorough" },
    async ({ path, method, described }) => {
      await t.query`delete from public.rate_limit_counters`;
      for (const [type, body] of tenMegabytes) {
        const isForm = described === undefined;
        if (isForm === (type === "application/json")) continue;
        const headers = { ...(isForm ? { cookie: await cookie } : bearer(token)), "content-type": type };
        const sent = app.request(path, { method, headers: { ...headers, origin: app.origin }, body });
        const { longest, status } = await healthBeside(app, sent);
        expect(status, type).toBeLessThan(500);
        expect(longest, type).toBeLessThan(promisedForUploads);
      }
    },
  );

  it.each(importFormats)(
    "10 MB of the worst %s cost others nothing, and the memory comes back",
    { tags: "thorough" },
    async (format) => {
      await t.query`delete from public.rate_limit_counters`;
      const file = uploads[format]?.() ?? new Uint8Array();
      const before = process.memoryUsage().rss;
      const form = new FormData();
      for (const [name, value] of Object.entries({ format, name: "Worst", code: "WORST", preview: "true" }))
        form.set(name, value);
      form.set("file", new File([Buffer.from(file)], "worst"));
      const { longest, status } = await healthBeside(
        app,
        app.request("/api/products/import", { method: "POST", headers: bearer(token), body: form }),
      );
      expect([200, 422]).toContain(status);
      expect(longest).toBeLessThan(promisedForUploads);
      await expect.poll(() => (process.memoryUsage().rss - before) / megabyte, { timeout: 20_000 }).toBeLessThan(500);
    },
  );

  it.each(Object.keys(drafts))(
    "a draft with too many or the worst %s costs others nothing, and passes only as it was given",
    { tags: "thorough" },
    async (kind) => {
      const text = JSON.stringify(drafts[kind]?.());
      const packed = gzipSync(text).toString("base64");
      const ours = stamp("import draft", owner.id, packed, [secret]);
      const answers: number[] = [];
      for (const draft of [packed, stamp("import draft", stranger.id, packed, [secret]), ours]) {
        await t.query`delete from public.rate_limit_counters`;
        const form = new FormData();
        const fields = { intent: "import", name: "Own", code: `OWN${answers.length}`, packed: draft };
        for (const [name, value] of Object.entries(fields)) form.set(name, value);
        const headers = { cookie: await app.signIn(owner), origin: app.origin };
        const sent = app.request("/import", { method: "POST", headers, body: form });
        const { longest, status } = await healthBeside(app, sent);
        expect(longest).toBeLessThan(promisedForUploads);
        answers.push(status);
      }
      expect(answers).toEqual([422, 422, held.has(kind) ? 200 : 422]);
      await t.query`delete from public.products where code = 'OWN2'`;
    },
  );

  it.each(["/stories/x", "/tasks/x"])(
    "10 MB of small parts cost others nothing at %s, and count before they are read",
    { tags: "thorough" },
    async (path) => {
      const headers = { cookie: await app.signIn(owner), origin: app.origin };
      const send = (type: string, body: string) =>
        app.request(path, { method: "POST", headers: { ...headers, "content-type": type }, body });
      const forms = tenMegabytes.filter(([type]) => type.startsWith("multipart"));
      for (const [type, body] of forms) {
        const { longest, status } = await healthBeside(app, send(type, body));
        expect(status, type).toBe(422);
        expect(longest, type).toBeLessThan(promisedForUploads);
      }
      await t.query`update rate_limit_counters set count = 60, window_start = private.now() where action = 'file'`;
      for (const [type] of forms) expect((await send(type, "no form")).status).toBe(429);
      await t.query`delete from public.rate_limit_counters`;
    },
  );
});
