import { expect, it } from "vitest";
import { addComment, listComments } from "~/nouns/comments/operations.server";
import { openApp } from "../setup/app";

const { t, app } = await openApp({ pages: true });

async function scene() {
  const ada = await t.createUser();
  const backlog = await t.seedBacklog(ada);
  const cookie = await app.signIn(ada);
  const { product, pbi, story, task } = backlog;
  return {
    ada,
    actor: t.actorOf(ada),
    backlog,
    read: async (path: string) => (await app.request(path, { headers: { cookie } })).text(),
    send: (path: string, fields: Record<string, string>) => app.submit(path, fields, { cookie }),
    pages: [
      ["pbi", pbi.id, `/products/${product.id}/backlog?panel=pbi:${pbi.id}`],
      ["story", story.id, `/stories/${story.id}`],
      ["task", task.id, `/tasks/${task.id}`],
    ] as const,
  };
}

it("Comments can be written, edited and deleted without script on PBI, story and task pages", async () => {
  const { actor, pages, read, send } = await scene();
  for (const [kind, id, page] of pages) {
    expect(await read(page)).toContain("No comments yet");
    const added = await send(page, { intent: "add-comment", kind, id, body: "A **word**." });
    expect(added.status, await added.text()).toBe(303);
    const { comments } = await listComments(actor, { kind, id });
    const comment_id = comments[0]?.id ?? "";
    expect(added.headers.get("location")).toBe(`${page.replace("pbi:", "pbi%3A")}#comment-${comment_id}`);
    expect(await read(page)).toContain("<strong>word</strong>");
    const fields = { kind, id, comment_id };
    await send(page, { intent: "edit-comment", ...fields, body: "Other words." });
    const edited = await read(page);
    expect(edited).toContain("Other words.");
    expect(edited).toContain("edited");
    expect((await send(page, { intent: "delete-comment", ...fields })).status).toBe(303);
    expect(await read(page)).toContain("No comments yet");
  }
});

it("A refused comment keeps what was typed", async () => {
  const { pages, send } = await scene();
  const [kind, id, page] = pages[2];
  const body = `kept${"x".repeat(10_000)}`;
  const refused = await send(page, { intent: "add-comment", kind, id, body });
  expect(refused.status).toBe(422);
  const text = await refused.text();
  expect(text).toContain("keptxxx");
  expect(text).toContain("at most 10000 characters");
});

it("A comment never brings a script into the page", async () => {
  const { actor, pages, read } = await scene();
  const [kind, id, page] = pages[1];
  const body = "<script>alert(1)</script> [go](javascript:alert(1)) <img src=x onerror=alert(1)>";
  await addComment(actor, { kind, id, body });
  const text = await read(page);
  const shown = /<article aria-label="Comment by[\s\S]*?<\/article>/.exec(text)?.[0] ?? "";
  expect(shown).toContain("go");
  const prose = shown.slice(0, shown.indexOf("<details"));
  expect(prose).not.toMatch(/<script|javascript:|onerror/);
});

it("A page shows the newest hundred comments and links to the earlier ones", async () => {
  const { actor, backlog, pages, read } = await scene();
  const [, id, page] = pages[2];
  await t.query`insert into public.comments (product_id, task_id, body, author, created_at)
      select ${backlog.product.id}, ${id}, 'Number ' || n || '.', 'ada', now() - (200 - n) * interval '1 minute' from generate_series(1, 101) n`;
  const { next_cursor } = await listComments(actor, { kind: "task", id });
  const newest = await read(page);
  expect(newest).toContain("Number 101.");
  expect(newest).not.toContain("Number 1.");
  const earlier = await read(`${page}?comments-before=${next_cursor}`);
  expect(earlier).toContain("Number 1.");
  expect(earlier).toContain("Newest comments");
});

it("The names of a product's members are given to those who may see it, and to no one else", async () => {
  const { ada, backlog, read } = await scene();
  const bob = await t.createMember(backlog.product.id);
  const path = `/products/${backlog.product.id}/member-names?_data=routes%2F_app.products.%24productId.member-names`;
  const { names } = JSON.parse(await read(path));
  expect(names.toSorted()).toEqual([ada.username, bob.username].toSorted());
  const stranger = await app.signIn(await t.createUser());
  expect((await app.request(path, { headers: { cookie: stranger } })).status).toBe(403);
});
