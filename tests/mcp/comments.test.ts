import { expect, it } from "vitest";
import { connectClient } from "./clients";
import { connectBoth, createProduct, ok, openStage } from "./stage";

const stage = await openStage();
const { t, app } = stage;

it("an agent comments on PBIs, stories and tasks by their codes, and reads what was said", async () => {
  await createProduct(stage, "ONE", { strategy: "STORY" });
  const { agent } = await connectBoth(stage);
  const comment = { kind: "task", id: "T-1", body: "The plan misses **step 3**." };
  const said = ok(await agent.call("add_comment", comment));
  expect(said).toMatchObject({ author: "ada", body: comment.body, edited_at: null });
  expect(ok(await agent.call("list_comments", { kind: "task", id: "T-1" }))).toEqual({
    comments: [said],
    next_cursor: null,
  });
  for (const [kind, id] of [
    ["pbi", "PBI-1"],
    ["story", "ST-001"],
  ]) {
    ok(await agent.call("add_comment", { kind, id, body: "Here too." }));
    expect(ok(await agent.call("list_comments", { kind, id }))).toMatchObject({
      comments: [{ body: "Here too." }],
    });
  }
  expect(ok(await agent.call("get_context", { product_id: "ONE" }))).toMatchObject({
    next_story: { comments: [{ on: "ST-001" }, { on: "T-1", body: comment.body }] },
  });
  const refused = await agent.call("add_comment", { ...comment, body: "  " });
  expect(refused).toMatchObject({ isError: true, result: { code: 422 } });
});

it("a stranger's agent neither reads nor writes what is said in a product, by id or code", async () => {
  await createProduct(stage, "TWO", { strategy: "STORY" });
  const { agent } = await connectBoth(stage);
  const task = ok(await agent.call("get_task", { task_id: "T-1", product_id: "TWO" }));
  const place = { kind: "task", id: task.id };
  ok(await agent.call("add_comment", { ...place, body: "A secret." }));
  const eve = await t.createUser();
  const other = await connectClient(app, await t.createToken(eve));
  for (const input of [place, { kind: "task", id: "T-1" }]) {
    for (const tool of ["list_comments", "add_comment"]) {
      const answer = await other.call(tool, { ...input, body: "Hello?" });
      expect(answer).toMatchObject({ isError: true });
      expect(JSON.stringify(answer)).not.toContain("secret");
    }
  }
  const context = await other.call("get_context", { product_id: "TWO" });
  expect(context).toMatchObject({ isError: true });
  expect(JSON.stringify(context)).not.toContain("secret");
});
