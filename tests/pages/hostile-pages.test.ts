import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openApp } from "../setup/app";
import { roundsOf } from "../setup/rounds";

/** `FUZZ_RUNS=1000 npx vitest run tests/pages/hostile-pages.test.ts` is the full run, per address. */
const runs = Math.min(1_000, roundsOf("FUZZ_RUNS", { whole: 15, short: 4 }));

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser({ role: "ADMIN" });
const backlog = await t.seedBacklog(owner);
const cookie = await app.signIn(owner);
/** Ten imports a minute are an account's; the forms below use them up at `/import`. */
const importer = await app.signIn(await t.createUser());
const foreign = await t.seedBacklog(await t.createUser());

const files = Object.keys(import.meta.glob(["../../app/routes/*.{ts,tsx}", "../../app/routes/*/route.{ts,tsx}"]))
  .map(
    (file) =>
      file
        .replace(/(\/route)?\.tsx?$/, "")
        .split("/")
        .at(-1) ?? "",
  )
  .filter((name) => !/^(api|mcp|openapi)\b/.test(name) && name !== "$");
const addresses = [...new Set(files.map(addressOf))];

/** The address of a route folder, with `$name` parts left in place. */
function addressOf(folder: string): string {
  const parts = folder.split(/\.(?![^[]*\])/).filter((part) => !part.startsWith("_"));
  return `/${parts.map((part) => part.replace(/_$/, "").replace(/\[(.*?)\]/g, "$1")).join("/")}`;
}

const own: Record<string, string> = {
  $productId: backlog.product.id,
  $sprintId: backlog.sprint.id,
  $storyId: backlog.story.id,
  $taskId: backlog.task.id,
  $pbiId: backlog.pbi.id,
};
const anyId = fc.oneof(
  fc.constantFrom(...Object.values(own), foreign.product.id, foreign.task.id),
  fc.uuid(),
  fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 }).map(encodeURIComponent),
  fc.constantFrom("..", "%00", "null", "1"),
);

/** Every `$name` of the address filled: mostly with what belongs there. */
function filled(address: string): fc.Arbitrary<string> {
  const parts = address.split("/").map((part) => {
    if (!part.startsWith("$")) return fc.constant(part);
    const fitting = fc.constant(own[part] ?? backlog.product.id);
    return fc.oneof({ weight: 3, arbitrary: fitting }, { weight: 1, arbitrary: anyId });
  });
  return fc.tuple(...parts).map((words) => words.join("/"));
}

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.constantFrom(...Object.values(own), "", "todo", "done", "READY", "1", "-1", "\0", "x".repeat(400)),
);
const fieldName = fc.oneof(
  fc.constantFrom(
    ...`intent title name code status product_id task_id story_id id pbi_id sprint_id priority label identifier
    password answer cursor`.split(/\s+/),
  ),
  fc.string({ unit: "grapheme-ascii", maxLength: 12 }),
);
const form = fc.array(fc.tuple(fieldName, text), { maxLength: 8 });
const query = fc.oneof(
  fc.constant(""),
  fc.webQueryParameters().map((words) => `?${words}`),
);

describe.each(addresses)("the page %s", (address) => {
  it(`The page ${address} is shown or refused for any address and query, and never fails`, async () => {
    await fc.assert(
      fc.asyncProperty(filled(address), query, fc.boolean(), async (path, search, isSignedIn) => {
        const headers: Record<string, string> = isSignedIn ? { cookie } : {};
        const response = await app.request(`${path}${search}`, { headers });
        await response.text();
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: runs, endOnFailure: true },
    );
  }, 600_000);

  it(`The page ${address} takes or refuses any form, and never fails`, async () => {
    if (address === "/logout") return;
    await fc.assert(
      fc.asyncProperty(filled(address), form, fc.boolean(), async (path, fields, isSignedIn) => {
        const response = await app.request(path, {
          method: "POST",
          headers: isSignedIn ? { cookie } : {},
          body: new URLSearchParams(fields),
        });
        await response.text();
        expect(response.status).toBeLessThan(500);
      }),
      { numRuns: runs, endOnFailure: true },
    );
    const failures = app.logLines.filter((line) => line.includes('"level":50'));
    expect(failures).toEqual([]);
  }, 600_000);

  it.each([
    ["text/plain", "x"],
    ["application/json", "{"],
    ["multipart/form-data", "x"],
    ["multipart/form-data; boundary=b", "--b\r\nnonsense"],
  ])("A body of type %s that is not a form is refused by each page", async (type, body) => {
    const path = address
      .split("/")
      .map((part) => own[part] ?? part)
      .join("/");
    const headers = { cookie: address === "/import" ? importer : cookie, "content-type": type };
    const response = await app.request(path, { method: "POST", headers, body });
    expect([400, 405, 404]).toContain(response.status);
  });
});
