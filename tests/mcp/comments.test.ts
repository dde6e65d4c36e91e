import { expect, it } from "vitest";
import { createToken, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { createUser } from "../setup/users";
import { connectBoth, createProduct, ok } from "./stage";

const t = await createTestDatabase({ realtime: true });
const app = await startTestApp(t);
const ada = await createUser(t, { username: "ada" });
const stage = { t, app, ada, token: await createToken(t, ada) };

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
