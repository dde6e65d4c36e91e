import { beforeAll, expect, it } from "vitest";
import { claimAgentJob, takeAgentJob } from "~/nouns/agent-jobs/operations.server";
import { changeThings } from "~/nouns/changes/operations.server";
import { addComment } from "~/nouns/comments/operations.server";
import { allowMyWorkers, setMemberRole, updateProduct } from "~/nouns/products/operations.server";
import { askQuestion } from "~/nouns/questions/operations.server";
import { appendStoryLog, startOver, updateStory } from "~/nouns/stories/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { createTestDatabase } from "../../setup/database";
import { at, claim } from "../../setup/world";
import { asUser } from "../as-user";
import { refusalOf } from "../refusal";
import {
  attempt,
  countedReads,
  fillProduct,
  listOperations,
  namesOneOf,
  ofAccounts,
  secret,
  snapshot,
} from "./operations";

/**
 * Who may what: each operation of the service, called as owner, member, viewer, stranger and demo accounts of one product that holds
 * a run, a job at work, questions, ideas, a view and a webhook, and with a token of its owner that is limited to another product.
 * New operations are covered as soon as they exist.
 */

/** Operations that write and that a viewer may call, and why. Nothing else may. A comment that is sent to an agent is none of them. */
const openToViewers: Readonly<Record<string, string>> = {
  ...ofAccounts,
  create_api_token: "of the account; the token reads where its person reads",
  create_product: "another product",
  delete_comment: "of their own",
  delete_file: "of their own comments",
  edit_comment: "of their own",
  end_import: "of the account",
  get_import: "of the account",
  start_import: "of the account; what it writes is asked for on its own",
  answer_invitation: "of whoever was asked",
  join_product: "of whoever holds a link",
  leave_product: "anyone may go",
  archive_inbox: "a person's own list",
  mark_inbox_item: "a person's own list",
  read_file: "only counts the reading",
  carry_preview: "of the worker",
  open_preview: "viewers see previews",
  sync_previews: "of the worker",
  restart_worker: "of the worker",
  set_active_product: "of the account",
  undo_change: "there is nothing of this session to take back",
  worker_heartbeat: "presence of the worker",
};

/** Operations that a member is refused and the owner is not. */
const ownersOnly: readonly string[] =
  `archive_product create_invitation create_webhook delete_budget delete_comment delete_product delete_webhook
  get_intake_hook invite_person list_invitations list_webhook_deliveries list_webhooks next_issue_note
  next_landing next_upkeep ping_webhook remove_product_member report_issue_note report_landing report_merged
  restore_product revoke_intake_hook revoke_invitation set_budget set_budget_settings set_intake_hook
  set_member_role update_product update_webhook`.split(/\s+/);

/** What only someone else than the owner does for themselves, or the worker of one who was asked. */
const membersOwn: readonly string[] = ["allow_my_workers", "leave_product", "save_change_index"];

/** What one person keeps for themselves, no matter what their role (here the viewer), and what waits for a verdict. */
const personal: readonly string[] = ["get_idea", "get_idea_conversation", "list_reviews", "list_waiting_reviews"];

const t = await createTestDatabase();
const world = await t.seedSprint({ stories: [2] });
const product_id = world.product.id;
await updateProduct(world.actor, { product_id, name: secret, description: secret });
const people = {
  owner: world.owner,
  member: await t.createUser(),
  viewer: await t.createUser(),
  demo: await t.createUser(),
  demoOwner: await t.createUser(),
  stranger: await t.createUser(),
  limited: world.owner,
};
const other = await t.seedProduct(world.owner, { p_code: "OTHER" });
for (const user of [people.member, people.viewer, people.demo]) {
  await t.addMember(product_id, user);
}
await t.seedProduct(people.demoOwner);
await t.query`update public.users set is_demo = true where id = any(${[people.demo.id, people.demoOwner.id]})`;

/** Anyone who becomes a viewer keeps what they made: none of it lets them write. */
const viewer = t.actorOf(people.viewer);
const story_id = at(world.stories, 0).id;
await updateStory(world.actor, { story_id, title: secret });
await appendStoryLog(world.actor, { story_id, type: "IMPLEMENTATION_PLAN", content: secret });
const run = await world.start();
await allowMyWorkers(viewer, { product_id, allowed: true });
const job = await claim(viewer);
const comment = await addComment(viewer, {
  kind: "task",
  id: at(world.tasks, 0).id,
  body: `${secret}: look, @${people.stranger.username}`,
});
const filled = await fillProduct(t, world, viewer, job.id);
await setMemberRole(world.actor, { product_id, user_id: people.viewer.id, role: "VIEWER" });

const waiting = { kind: "task" as const, id: at(world.tasks, 0).id };

/** What these look at before they ask about the product must fit. */
const direct: Record<string, () => Promise<unknown>> = {
  append_story_log: () => appendStoryLog(viewer, { story_id, type: "IMPLEMENTATION_PLAN", content: "Plan" }),
  ask_question: () => askQuestion(viewer, { story_id, question: "Which one?" }),
  change_things: () => changeThings(viewer, { things: [waiting], changes: { priority: 1 } }),
  claim_agent_job: () => claimAgentJob(viewer, { worker: "worker-2", product_id }),
  start_over: () => startOver(viewer, { kind: "story", id: story_id }),
  take_agent_job: () => takeAgentJob(viewer, { task: "T-1", product: product_id }),
  update_task: () => updateTask(viewer, { task_id: waiting.id, status: "done" }),
};

const ids = {
  ...filled,
  p_id: at(world.tasks, 0).id,
  p_comment_id: comment.id,
  p_sprint_run_id: run.id,
  p_user_id: people.member.id,
  p_assignee_id: people.owner.id,
};
const ofProduct = Object.keys(ids).filter((name) => !/user_id|assignee|idea|view|user_q/.test(name));

const all = await listOperations(t, false);
const writing = new Set(
  (await listOperations(t, true)).map(({ name }) => name).filter((name) => !countedReads.includes(name)),
);
type Role = keyof typeof people;
const roles = ["owner", "member", "viewer", "demo", "demoOwner", "stranger", "limited"] as const;
const outcomes = new Map<string, Record<Role, string>>();
/** Each role with the operation that showed it the name of the product or of its story. */
const told: [role: Role, name: string][] = [];

async function outcomeAs(role: Role, operation: (typeof all)[number]): Promise<string> {
  const [named, unnamed] = await asUser(t, people[role], async (client) => {
    const limit = "select set_config('backloom.token_products', $1, true)";
    if (role === "limited") await client.query(limit, [`{${other.id}}`]);
    const parameters = operation.parameters.filter(({ name }) => name !== "p_product_id");
    return [await attempt(client, operation, ids), await attempt(client, { ...operation, parameters }, ids)] as const;
  });
  for (const each of [named, unnamed]) {
    if ("answer" in each && each.answer.includes(secret)) told.push([role, operation.name]);
  }
  return "code" in named ? named.code : "answered";
}

beforeAll(async () => {
  const before = await snapshot(t);
  for (const operation of all) {
    const codes = { owner: "", member: "", viewer: "", demo: "", demoOwner: "", stranger: "", limited: "" };
    for (const role of roles) {
      codes[role] = await outcomeAs(role, operation);
    }
    outcomes.set(operation.name, codes);
  }
  expect(await snapshot(t)).toEqual(before);
});

function namesWhere(wanted: (codes: Record<Role, string>, name: string) => boolean): string[] {
  return [...outcomes].filter(([name, codes]) => wanted(codes, name)).map(([name]) => name);
}

it("The check of roles knows more than a hundred operations", () => {
  expect(outcomes.size).toBeGreaterThan(100);
  expect(Object.keys(openToViewers).filter((name) => !writing.has(name))).toEqual([]);
});

it("Each operation that writes is refused to viewers, except those known to be open to them", () => {
  const names = namesWhere(({ viewer: code }, name) => writing.has(name) && code !== "PT403");
  const known = [...Object.keys(openToViewers), ...Object.keys(direct)];
  expect(names.filter((name) => !known.includes(name))).toEqual([]);
  expect(known.filter((name) => !names.includes(name))).toEqual([]);
});

it.each(Object.keys(direct))("A viewer is refused %s with what fits", async (name) => {
  const refusal = await refusalOf(direct[name]?.() ?? Promise.resolve());
  expect(refusal).toMatchObject({ status: 403, message: expect.stringContaining("You are a viewer of this product") });
});

it("Each operation that reads answers viewers as it answers members, except personal ones", () => {
  const differ = namesWhere(({ member, viewer: code }, name) => !writing.has(name) && code !== member);
  expect(differ).toEqual(personal);
});

it("Each operation answers members as it answers the owner, except what is the owner's", () => {
  const differ = namesWhere(({ owner, member }) => owner !== member);
  expect(differ).toEqual([...ownersOnly, ...membersOwn].sort());
  expect(namesWhere(({ member }, name) => ownersOnly.includes(name) && member !== "PT403")).toEqual([]);
});

it("Each operation that writes is refused to demo accounts", () => {
  const answered = namesWhere(
    ({ demo, demoOwner }, name) => writing.has(name) && (demo === "answered" || demoOwner === "answered"),
  );
  expect(answered).toEqual([]);
});

it.each(["stranger", "limited"] as const)(
  "Each operation that names something of the product is refused to a %s caller",
  (role) => {
    const named = new Set(all.filter(({ parameters }) => namesOneOf(parameters, ofProduct)).map(({ name }) => name));
    const open = namesWhere((codes, name) => named.has(name) && codes[role] === "answered");
    expect(open).toEqual([]);
  },
);

it("Strangers and limited tokens get no word of the product by any operation, whether they name it or not", () => {
  const toldTo = (whom: Role) => told.filter(([role]) => role === whom);
  expect(toldTo("member").length).toBeGreaterThan(25);
  expect([...toldTo("stranger"), ...toldTo("limited")]).toEqual([]);
});
