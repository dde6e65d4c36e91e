import { expect, it } from "vitest";
import { heartbeatAgentJob } from "~/nouns/agent-jobs/operations.server";
import { changeThings } from "~/nouns/changes/operations.server";
import { addComment, deleteComment, editComment } from "~/nouns/comments/operations.server";
import { addDependency, removeDependency } from "~/nouns/dependencies/operations.server";
import { createIdea, linkIdeaProduct, unlinkIdeaProduct } from "~/nouns/ideas/operations.server";
import { archiveProduct, createProduct, restoreProduct } from "~/nouns/products/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { appendStoryLog, startOver } from "~/nouns/stories/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { asUser, becomeCaller, outcomeOf } from "../as-user";
import { refusalOf } from "../refusal";
import { attempt, fillProduct, listOperations, ofAccounts, snapshot } from "./operations";

/**
 * An archived product is read-only on every way: each writing operation with the ids of one that holds a run, a job at
 * work, questions, ideas and members, and the same rows past the operations. New operations are covered as soon as they exist.
 */

/** Operations that may go through in an archived product, and why. Nothing else may. */
const open: Readonly<Record<string, string>> = {
  ...ofAccounts,
  claim_agent_job: "answers that there is no job",
  create_api_token: "of the account",
  create_product: "another product",
  delete_product: "the owner may end it",
  start_import: "of the account; what it writes is refused on its own",
  end_import: "of the account (404)",
  get_import: "of the account (404)",
  answer_invitation: "of whoever was asked; refused for this product",
  join_product: "of whoever holds a link; refused for a link to this product",
  leave_product: "a member may go at any time",
  list_candidates: "reads, and counts that it was asked",
  archive_inbox: "what rests waits for no one (404)",
  mark_inbox_item: "what rests waits for no one (404)",
  allow_my_workers: "a person's own consent",
  heartbeat_agent_job: "says stop and changes nothing",
  carry_preview: "of the worker (404)",
  open_preview: "only looks",
  sync_previews: "of the worker",
  restart_worker: "of the worker",
  restore_product: "ends the state",
  create_chat: "of the account",
  take_agent_job: "names a task by its code (404)",
  search: "reads, and counts that it was asked",
  archive_product: "is done already",
  ping: "reads",
  resolve_reference: "reads",
  set_active_product: "refused for this product; clears another",
  undo_change: "there is nothing of this session to take back",
  worker_heartbeat: "presence of the worker",
};

const t = await createTestDatabase();
const world = await t.seedSprint({ stories: [2] });
const { actor, owner, product } = world;
const product_id = product.id;
const member = await t.createMember(product_id);
const run = await startSprintRun(actor, { sprint_id: world.sprint.id });
const job = await claim(actor);
const story_id = at(world.stories, 0).id;
const filled = await fillProduct(t, world, actor, job.id);
const idea_id = filled.p_idea_id;
const other = await createProduct(actor, { code: "OTHER", name: "Goes on" });
const elsewhere = await createIdea(actor, { product_id: other.id, title: "Elsewhere" });
await linkIdeaProduct(actor, { idea_id: elsewhere.id, product_id });
await linkIdeaProduct(actor, { idea_id, product_id: other.id });
await archiveProduct(actor, { product_id });

const file = await t.query`insert into public.files (product_id, name, type, size)
  values (${product_id}, 'a.png', 'image/png', 1) returning id`;

const waiting = { kind: "task" as const, id: at(world.tasks, 0).id };

/** What these look at before they ask about the product must fit. */
const direct: Record<string, () => Promise<unknown>> = {
  add_dependency: () => addDependency(actor, { ...waiting, blocked_by: at(world.tasks, 1).id }),
  remove_dependency: () => removeDependency(actor, { ...waiting, blocker: at(world.tasks, 1).id }),
  change_things: () => changeThings(actor, { things: [waiting], changes: { priority: 1 } }),
  add_comment: () => addComment(actor, { ...waiting, body: "A word" }),
  edit_comment: () => editComment(actor, { ...waiting, comment_id: run.id, body: "A word" }),
  delete_comment: () => deleteComment(actor, { ...waiting, comment_id: run.id }),
  append_story_log: () => appendStoryLog(actor, { story_id, type: "IMPLEMENTATION_PLAN", content: "Plan" }),
  ask_question: () => askQuestion(actor, { story_id, question: "Which one?" }),
  update_task: () => updateTask(actor, { task_id: at(world.tasks, 0).id, status: "done" }),
  start_over: () => startOver(actor, { kind: "story", id: story_id }),
  link_idea_product: () => linkIdeaProduct(actor, { idea_id: elsewhere.id, product_id }),
  unlink_idea_product: () => unlinkIdeaProduct(actor, { idea_id: elsewhere.id, product_id }),
};

const ids = {
  ...filled,
  p_file_id: at(file, 0).id,
  p_sprint_run_id: run.id,
  p_user_id: member.id,
  p_assignee_id: owner.id,
};

it("An archived product is changed by none of the writing operations", async () => {
  const operations = (await listOperations(t, true)).filter(({ name }) => !(name in open) && !(name in direct));
  expect(operations.length).toBeGreaterThan(40);
  const before = await snapshot(t);
  const client = await t.sql.connect();
  const outcomes: Record<string, string> = {};
  for (const operation of operations) {
    await client.query("begin");
    await becomeCaller(client, owner);
    const outcome = await attempt(client, operation, ids);
    outcomes[operation.name] = "answer" in outcome ? "answered" : outcome.code;
    await client.query("commit");
  }
  client.release();
  const after = await snapshot(t);
  // A counted try is not a change of the product, nor is the account's own record of an import.
  const { rate_limit_counters: _counted, imports: _followed, ...unchanged } = before;
  expect(after).toMatchObject(unchanged);
  // Reading a file writes no more than its count.
  delete outcomes.read_file;
  expect(Object.entries(outcomes).filter(([, code]) => code !== "PT403")).toEqual([]);
});

it.each([
  ["members", `product_members where product_id = '${product_id}' and role = 'MEMBER'`],
  ["ideas", `ideas where id = '${idea_id}'`],
  ["links of its ideas", `idea_products where idea_id = '${idea_id}'`],
  ["links of ideas elsewhere to it", `idea_products where idea_id = '${elsewhere.id}'`],
  ["tasks", `tasks where product_id = '${product_id}'`],
  ["stories", `stories where product_id = '${product_id}'`],
  ["PBIs", `pbis where product_id = '${product_id}'`],
])("An archived product keeps its %s when rows are deleted past the operations", async (_, rows) => {
  await asUser(t, owner, async (client) => {
    expect(await outcomeOf(client, `select from public.${rows}`)).toBeGreaterThan(0);
    expect(await outcomeOf(client, `delete from public.${rows}`)).toBe(0);
  });
});

it.each(Object.keys(direct))("An archived product refuses %s with what fits", async (name) => {
  const refusal = await refusalOf(direct[name]?.() ?? Promise.resolve());
  expect(refusal).toMatchObject({ status: 403, message: expect.stringContaining("archived") });
});

it("A worker in an archived product is told to stop and why, and continues once it is restored", async () => {
  const held = { job_id: job.id, attempt: 1 };
  expect(await heartbeatAgentJob(actor, held)).toMatchObject({
    action: "stop",
    lease_until: null,
    reason: { code: "archived", message: expect.stringContaining("archived") },
  });
  await restoreProduct(actor, { product_id });
  expect((await heartbeatAgentJob(actor, held)).action).toBe("continue");
});
