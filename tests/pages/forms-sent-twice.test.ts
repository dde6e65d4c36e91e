import { expect, it } from "vitest";
import { openBacklog } from "../setup/app";

const {
  t,
  app,
  owner,
  backlog: { product, pbi, story, task },
} = await openBacklog({ pages: true });
const visitor = await app.visitorOf(owner);
const backlog = `/products/${product.id}/backlog`;

async function keyOn(path: string): Promise<string> {
  const html = await visitor.read(path);
  const [, key = ""] = /name="idempotency_key" value="([0-9a-f]{32})"/.exec(html) ?? [];
  expect(key, path).not.toBe("");
  return key;
}

const forms: [what: string, path: string, fields: Record<string, string>, table: string][] = [
  ["a PBI", `${backlog}?panel=new-pbi`, { intent: "create-pbi" }, "pbis"],
  ["a story", `${backlog}?panel=new-story&pbi=${pbi.id}`, { intent: "create-story", pbi_id: pbi.id }, "stories"],
  ["a task", `/stories/${story.id}`, { intent: "create-task" }, "tasks"],
  ["an idea", "/ideas?panel=new", { product_id: product.id }, "ideas"],
];

it.each(forms)("%s: its form sent twice makes one, loaded again another", async (what, path, fields, table) => {
  const title = `Sent twice: ${what}`;
  const count = async (named: string) =>
    (await t.sql.query(`select from public.${table} where title = $1`, [named])).rowCount;
  const key = await keyOn(path);
  const send = (title: string, idempotency_key: string) => visitor.send(path, { ...fields, title, idempotency_key });
  const [first, second] = [await send(title, key), await send(title, key)];
  expect([first.status, second.status]).toEqual([303, 303]);
  expect(second.headers.get("location")).toBe(first.headers.get("location"));
  expect(await count(title)).toBe(1);

  const changed = await send(`${title}, changed`, key);
  expect(changed.status).toBe(422);
  expect(await changed.text()).toContain("press again to create another");
  const next = await keyOn(path);
  expect(next).not.toBe(key);
  expect((await send(title, next)).status).toBe(303);
  expect(await count(title)).toBe(2);
});

it("The form for a new product has a new idempotency key each time it is loaded", async () => {
  expect(await keyOn("/products/new")).not.toBe(await keyOn("/products/new"));
});

it("A comment form sent twice adds one comment", async () => {
  const path = `/tasks/${task.id}`;
  const html = await visitor.read(path);
  const [, form = ""] =
    /<form(?:(?!<\/form>).)*?(name="idempotency_key"(?:(?!<\/form>).)*?value="add-comment")/s.exec(html) ?? [];
  const [, key = ""] = /value="([0-9a-f]{32})"/.exec(form) ?? [];
  expect(key).not.toBe("");
  const send = () =>
    visitor.send(path, { intent: "add-comment", kind: "task", id: task.id, body: "Said once.", idempotency_key: key });
  expect([(await send()).status, (await send()).status]).toEqual([303, 303]);
  const { rowCount } = await t.sql.query("select from public.comments where body = 'Said once.'");
  expect(rowCount).toBe(1);
});
