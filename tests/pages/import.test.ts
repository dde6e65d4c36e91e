import { expect, it } from "vitest";
import { z } from "zod";
import { guessFormat } from "~/features/transfers/guess-format";
import { createProduct } from "~/nouns/products/operations.server";
import { openApp } from "../setup/app";
import { formsIn } from "../setup/page-forms";
import { github, jira, linear, trello } from "../transfers/exports";
import { beads } from "../transfers/spec-shapes";

const { t, app } = await openApp({ pages: true });
const owner = await t.createUser();
const headers = { cookie: await app.signIn(owner), origin: app.origin };

/** Sends a form of the page, and reads what the page without script then shows. */
async function send(fields: Record<string, string> | [name: string, value: string][]) {
  const body = new FormData();
  for (const [name, value] of Array.isArray(fields) ? fields : Object.entries(fields)) body.append(name, value);
  const answer = await app.request("/import", { method: "POST", headers, body });
  return { status: answer.status, page: await answer.text() };
}

/** The fields of the form that imports, with what a browser would send. */
const fieldsOf = (page: string) =>
  formsIn(page, "/import").flatMap(({ fields }) =>
    fields.some(([name, value]) => name === "intent" && value === "import") ? fields : [],
  );

it("a refused import leaves its preview, with what was chosen, and can be sent again", async () => {
  const target = { name: "Moved", code: "MOVED" };
  const preview = await send({ intent: "preview", ...target, format: "linear", pasted: linear });
  expect(preview.page).toContain("2 stories, 3 tasks");
  const fields = fieldsOf(preview.page);
  const chosen = fields.map(([name, value], at): [string, string] => {
    const isLast = at === fields.findLastIndex(([each]) => each === "member");
    return [name, isLast ? owner.username : value];
  });
  await createProduct(t.actorOf(owner), { name: "Other", code: "MOVED" });

  const refused = await send(chosen);
  expect(refused.status).toBe(422);
  expect(refused.page).toContain("2 stories, 3 tasks");
  expect(refused.page).toMatch(/role="alert"[^>]*>.*?MOVED/s);
  const again = fieldsOf(refused.page);
  const kept = (of: [string, string][]) => of.filter(([name]) => name !== "idempotency_key");
  expect(kept(again).toSorted()).toEqual(kept(chosen).toSorted());

  const changed = again.map(([name, value]): [string, string] => [name, name === "code" ? "MOVED2" : value]);
  const done = await send(changed);
  expect(done.page).toContain("2 stories, 3 tasks");
  expect(done.page).toContain("went into");
  const rows = await t.query`select count(*)::int as n from stories s join products p on p.id = s.product_id
      where p.code = 'MOVED2' and s.assignee_id = ${owner.id}`;
  expect(z.object({ n: z.number() }).parse(rows[0]).n).toBeGreaterThan(0);
  const [, id = ""] = chosen.find(([name]) => name === "import_id") ?? [];
  const followed = async (of: string) => (await app.request(`/import/${of}`, { headers })).json();
  expect(await followed(id)).toMatchObject({ import: { state: "done", done: 5, of: 5 } });
  expect(await followed(owner.id)).toEqual({ import: null });
});

it("An import sent with a broken preview is refused and cannot be confirmed", async () => {
  for (const report of ["", "[", '{"preview":true}']) {
    const { status, page } = await send({ intent: "import", name: "Moved", packed: "x", report });
    expect(status).toBe(422);
    expect(page).not.toContain('value="import"');
  }
});

it("The format of a file or a pasted text is guessed, and never where nothing tells", () => {
  const texts = { linear, github, jira, trello, beads, backloom: '{"format": "backloom-export", "cards": []}' };
  const guesses = Object.entries(texts).map(([format, text]) => [format, guessFormat("export", text)]);
  expect(guesses).toEqual(Object.keys(texts).map((format) => [format, format]));
  for (const own of ["ID,Title,Status\n1,A,Open", "Name;Done"]) expect(guessFormat("own.csv", own)).toBeUndefined();
  const names = ["issues.jsonl", "openspec.zip", "specs.zip", "backlog.zip", "task-1.md", "notes.txt"];
  expect(names.map((name) => guessFormat(name, "PK"))).toEqual([
    "beads",
    "openspec",
    "spec-kit",
    "backlog-md",
    "backlog-md",
    undefined,
  ]);
});
