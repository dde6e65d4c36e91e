import { createHash } from "node:crypto";
import pg from "pg";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { callAsRaw } from "~/db/rpc.server";
import { doneRequirements } from "~/nouns/products/contract";
import { createTestDatabase } from "../../setup/database";
import { roundsOf } from "../../setup/rounds";
import {
  at,
  claim,
  create,
  finish,
  type SprintOptions,
  seedActiveSprint,
  type TestUser,
} from "../../setup/world";

const t = await createTestDatabase();

/** The credential of a person, and one of a token of theirs. */
const person = ({ id }: { id: string }) => ({ user_id: id });
const tokenOf = async (user: { id: string }) => ({
  token_hash: createHash("sha256")
    .update(await t.createToken(user))
    .digest("hex"),
});

const operationRow = z.object({
  name: z.string(),
  names: z.array(z.string()).nullable(),
  required: z.int(),
});

/** Every operation that writes and that a program can reach: over MCP, over REST, or by what these are made of. */
async function reachable() {
  const sources = Object.entries(
    import.meta.glob<string>(
      [
        "../../../app/{mcp,nouns}/**/*.server.ts",
        "../../../app/routes/api.**/*.ts",
        "../../../app/routes/api.*.ts",
      ],
      { query: "?raw", import: "default", eager: true },
    ),
  )
    .filter(([file]) => !file.endsWith("/operations.server.ts"))
    .map(([, text]) => text)
    .join("\n");
  const rows = z.array(operationRow).parse(
    await t.query`
      select p.proname as name, p.proargnames as names, (p.pronargs - p.pronargdefaults)::int as required
      from pg_proc p
      where p.pronamespace = 'operations'::regnamespace and p.provolatile = 'v'
        and has_function_privilege('authenticated', p.oid, 'execute') order by 1`,
  );
  return rows.filter(({ name }) => {
    const camel = name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
    return new RegExp(`\\b${camel}\\b|"${name}"`).test(sources);
  });
}

const statuses = ["TO_DO", "IN_PROGRESS", "REVIEW", "DONE", "FAILED"] as const;
const word = (status: string) => (status === "TO_DO" ? "todo" : status.toLowerCase());

/** The operations that set the status of a task, and the arguments with which they do. */
const statusDoors: Record<string, (task: string, status: string) => Record<string, unknown>> = {
  update_task: (p_task_id, p_status) => ({ p_task_id, p_status }),
  set_task_status: (p_task_id, p_status) => ({ p_task_id, p_status }),
  edit_task: (p_task_id, status) => ({ p_task_id, p_changes: { status } }),
  change_things: (id, status) => ({ p_things: [{ kind: "task", id }], p_changes: { status } }),
};

const oneTask: SprintOptions = { stories: [1] };
const judged = ["ci", "person"];

/** Work in each situation that a change of status may meet: the task, and in which statuses its work waits for a verdict. */
const situations = {
  "without a job": { waits: [], open: () => t.seedSprint(oneTask) },
  "after a failed job": {
    waits: [],
    async open() {
      const { world, report } = await t.holdJob(oneTask);
      await report({ status: "failed", failure_class: "agent_error" });
      return world;
    },
  },
  "with a job that waits": { waits: statuses, open: () => openWaiting("SPRINT") },
  "with a batch that waits": { waits: ["REVIEW"], open: () => openWaiting("SPRINT_BATCH") },
};

async function openWaiting(strategy: "SPRINT" | "SPRINT_BATCH") {
  const world = await t.seedSprint({ ...oneTask, strategy });
  await t.query`update products set done_requires = 'person' where id = ${world.product.id}`;
  await world.start();
  const job = await claim(world.actor);
  const attempt = { p_job_id: job.id, p_attempt: job.attempt };
  if (strategy === "SPRINT_BATCH") {
    const part = { p_task_id: at(world.tasks, 0).id, p_status: "done", p_verify_result: "ALIGNED" };
    await callAsRaw(world.actor, "update_task_execution", { ...attempt, ...part });
  }
  await finish(world.actor, job);
  return world;
}

describe("the status of a task", { timeout: 300_000 }, () => {
  it.each(Object.entries(situations))(
    "%s is moved by every principal, door and pair of statuses as its gate says",
    async (_name, { waits, open }) => {
      const { owner, product, tasks } = await open();
      const task = at(tasks, 0).id;
      const users: Record<string, TestUser> = {
        owner,
        member: await t.createMember(product.id),
        viewer: await t.createMember(product.id, { viewer: true }),
        demo: await t.createMember(product.id, { demo: true }),
      };
      const client = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
      await client.connect();
      const wrong: string[] = [];
      for (const move of sampled(await movesOf(users, waits))) {
        const { credential, gate, door, from, to } = move;
        await client.query(`begin; set local session_replication_role = replica;
          delete from public.rate_limit_counters;
          update public.products set done_requires = '${gate}' where id = '${product.id}';
          update public.tasks set status = '${from}' where id = '${task}';
          set local session_replication_role = origin`);
        const given = JSON.stringify(statusDoors[door]?.(task, word(to)));
        const said = await client
          .query("select public.call_as($1, $2, $3)", [credential, door, given])
          .then(
            () => 200,
            (error: { code?: string }) => Number(error.code?.slice(2)),
          );
        await client.query("rollback");
        if (said !== expected(move)) wrong.push(`${JSON.stringify(move)} was ${said}`);
      }
      await client.end();
      expect(wrong).toEqual([]);
    },
  );
});

/** Every move under `npm run test:all`, every eleventh otherwise: eleven meets all doors, pairs and principals over the situations. */
function sampled<Item>(all: readonly Item[]): Item[] {
  const step = roundsOf("STATUS_STEP", { whole: 1, short: 11 });
  return all.filter((_, index) => index % step === 0);
}

/** All pairs of statuses by all doors: of tokens under every gate, of sessions under two, of those who may not write under one. */
async function movesOf(users: Record<string, TestUser>, waits: readonly string[]) {
  const moves = [];
  for (const [role, user] of Object.entries(users)) {
    for (const [kind, credential] of [
      ["session", person(user)],
      ["token", await tokenOf(user)],
    ] as const) {
      const isReader = role === "viewer" || role === "demo";
      const gates = isReader
        ? ["none"]
        : kind === "session"
          ? ["none", "person"]
          : doneRequirements;
      for (const gate of gates) {
        for (const door of Object.keys(statusDoors)) {
          for (const from of statuses) {
            for (const to of statuses.filter((other) => other !== from)) {
              moves.push({ role, kind, credential, gate, door, from, to, waits });
            }
          }
        }
      }
    }
  }
  return moves;
}

interface Move {
  role: string;
  kind: string;
  gate: string;
  door: string;
  from: string;
  to: string;
  waits: readonly string[];
}

/** What the decision of next to a status change is: the gates in words that no code shares. */
function expected({ role, kind, gate, door, from, to, waits }: Move): number {
  const mayNotWrite = role === "viewer" || role === "demo";
  const isUnknown =
    door === "update_task" && (to === "FAILED" || (to === "REVIEW" && !judged.includes(gate)));
  if (door === "update_task" && to === "FAILED") return role === "demo" ? 403 : 422;
  if (mayNotWrite) return 403;
  if (isUnknown) return 422;
  if (kind === "session") return 200;
  const leavesReview = from === "REVIEW" && judged.includes(gate);
  if (waits.includes(from) || leavesReview) return 403;
  if (to !== "DONE") return 200;
  if (judged.includes(gate)) return 403;
  return gate === "none" ? 200 : 422;
}

/** `mulberry32`: the same walk for the same seed. */
function dice(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const pick = <Item>(list: readonly Item[]): Item | undefined =>
    list[Math.floor(next() * list.length)];
  return { next, pick };
}
type Dice = ReturnType<typeof dice>;

const seenSchema = z.object({
  tasks: z.array(z.object({ id: z.string(), code: z.string() })),
  ...Object.fromEntries(
    ["stories", "pbis", "sprints", "runs", "questions", "lessons"].map((kind) => [
      kind,
      z.array(z.string()),
    ]),
  ),
  jobs: z.array(z.object({ id: z.string(), attempt: z.int(), held: z.boolean() })),
});
const personsPlans = ["The plan of a person", "Another plan of a person"];

/** What is there for a walk to choose from. */
async function look(productId: string) {
  const rows = await t.query`select json_build_object(
    'tasks', (select coalesce(json_agg(json_build_object('id', id, 'code', code)), '[]') from tasks where product_id = ${productId}),
    'stories', (select coalesce(json_agg(id), '[]') from stories where product_id = ${productId}),
    'pbis', (select coalesce(json_agg(id), '[]') from pbis where product_id = ${productId}),
    'sprints', (select coalesce(json_agg(id), '[]') from sprints where product_id = ${productId}),
    'runs', (select coalesce(json_agg(id), '[]') from sprint_runs where product_id = ${productId}),
    'questions', (select coalesce(json_agg(id), '[]') from agent_questions where product_id = ${productId}),
    'lessons', (select coalesce(json_agg(id), '[]') from lessons where product_id = ${productId}),
    'jobs', (select coalesce(json_agg(json_build_object('id', id, 'attempt', attempt,
      'held', status in ('CLAIMED', 'RUNNING')) order by created_at), '[]') from agent_jobs where product_id = ${productId})) as seen`;
  return seenSchema.catchall(z.array(z.string())).parse(at(rows, 0).seen);
}
type Seen = Awaited<ReturnType<typeof look>>;

/** What an agent gives for each argument of an operation: something that is there, or words of its own. */
function argumentsOf(seen: Seen, { pick, next }: Dice, productId: string) {
  const held = seen.jobs.filter((job) => job.held);
  const job = pick(held.length > 0 && next() < 0.9 ? held : seen.jobs);
  const task = pick(seen.tasks);
  const plan = pick(["The agent's plan", "Another of the agent's", ...personsPlans]);
  const status = pick(["todo", "in_progress", "review", "done"]);
  const result = pick(["ALIGNED", "ALIGNED", "PARTIAL", "EMPTY"]);
  const isTask = next() < 0.5;
  const story = { title: "Mine", external_id: String(next()), log: [], ticked: ["- [ ] Works"] };
  const imported = { title: "Mine", status: "DONE", implementation_plan: plan };
  const known: Record<string, unknown> = {
    ...{ p_product_id: productId, p_task_id: task?.id, p_task: task?.code, p_status: status },
    ...{ p_story_id: pick(seen.stories ?? []), p_pbi_id: pick(seen.pbis ?? []) },
    ...{ p_sprint_id: pick(seen.sprints ?? []), p_sprint_run_id: pick(seen.runs ?? []) },
    ...{ p_question_id: pick(seen.questions ?? []), p_lesson_id: pick(seen.lessons ?? []) },
    ...{ p_job_id: job?.id, p_attempt: job?.attempt, p_option: pick([0, 0, 1]), p_answer: "Yes" },
    ...{ p_kind: isTask ? "task" : "story", p_id: isTask ? task?.id : pick(seen.stories ?? []) },
    ...{ p_worker: "agent", p_title: "Mine", p_body: "Mine", p_text: "Mine", p_content: "Mine" },
    ...{ p_question: "May I?", p_implementation_plan: plan, p_plan: plan, p_verify_only: true },
    ...{ p_verdict: pick(["approve", "accept", "request_changes"]), p_summary: "Good" },
    ...{ p_verify_result: result, p_changed_files: ["a.ts"], p_allowed: true, p_reason: "Mine" },
    ...{ p_task_ids: seen.tasks.slice(0, 2).map(({ id }) => id), p_plan_first: next() < 0.5 },
    ...{ p_plan_review: pick(["none", "person"]), p_use_description: true, p_leave_out: true },
    ...{ p_strategy: pick(["STORY", "SPRINT_BATCH"]), p_park: true, p_on_expiry: "STOP" },
    ...{ p_description: "Mine", p_criterion: "x", p_attempts: [{ job_id: job?.id, attempt: 1 }] },
    p_report: pick([
      { status: "running", implementation_plan: plan },
      { status: "done", verify_result: result },
      { status: "done", verify_result: "ALIGNED", head_sha: "a".repeat(40) },
      { status: "failed", failure_class: "agent_error", failure_reason: "No" },
      { status: "skipped", verify_result: "EMPTY" },
    ]),
    p_changes: pick([
      { done_requires: "none" },
      { plan_review: "none" },
      { agent_items: "backlog" },
      { status, implementation_plan: plan },
    ]),
    p_pbis: [
      {
        title: "Mine",
        stories: [{ ...story, tasks: [{ ...imported, external_id: `t${next()}` }] }],
      },
    ],
    p_evidence: { criterion: "x", verdict: "pass", grade: "person", excerpt: "Mine" },
  };
  return known;
}

/** Arguments that no walk gives: what they belong to decides nothing. */
const pointless =
  /^p_(?:blocked_by|blocker|name|type|path|line|side|line_text|user_question_id|entries|page|look|code|file_id|comment_id|label_id|budget_id|view_id|usage|conflict|project|label|issues|pulls|item_id|mark|viewed|idea_id|issue_note_id|lease|state|landing_id|upkeep_id|diff|cron|zone|missed|next_at|scope|unit|amount|pr_url|head_sha|chapters|invitation_id|accept|pairing_id|mobile_secret_hash|role|code_hash|identifier|query|key_hash)$/;
/** What moves work on, chosen more often. */
const often: Record<string, number> = {
  ...{ claim_agent_job: 8, report_agent_job: 14, start_run: 4, start_sprint_run: 4 },
  ...{ update_task: 6, update_task_execution: 6, resume_sprint_run: 3, take_agent_job: 3 },
  ...{ pause_sprint_run: 2, import_backlog: 2, cancel_question: 3, verify_task_against_plan: 3 },
};

describe("an agent with only its own token", { timeout: 3_600_000 }, () => {
  const walks = roundsOf("WALKS", { whole: 1_000, short: 5 });

  it(`decides nothing in ${walks} random walks through all that a token reaches`, async () => {
    const all = await reachable();
    const [owner, member] = [await t.createUser(), await t.createUser()];
    const first = await openProduct(owner, member, "STORY");
    const known = argumentsOf(await look(first.id), dice(0), first.id);
    const unknown = all.flatMap(({ name, names, required }) =>
      (names ?? [])
        .slice(0, required)
        .filter((argument) => !(argument in known) && !pointless.test(argument))
        .map((argument) => `${name} ${argument}`),
    );
    expect(unknown, "arguments that a walk should give, or that decide nothing").toEqual([]);
    const operations = all.flatMap((one) => Array(often[one.name] ?? 1).fill(one) as typeof all);
    const tokens = [await tokenOf(owner), await tokenOf(member)];
    const reached = new Set<string>();
    const handedIn = { plans: 0, works: 0 };
    for (let walk = 0; walk < walks; walk++) {
      const chance = dice(walk);
      const world = await openProduct(owner, member, walk % 2 === 0 ? "STORY" : "SPRINT_BATCH");
      for (let step = 0; step < 60; step++) {
        const seen = await look(world.id);
        const operation = chance.pick(operations);
        const values = argumentsOf(seen, chance, world.id);
        const given = Object.fromEntries(
          (operation?.names ?? [])
            // The required ones always, the others now and then.
            .filter((_, index) => index < (operation?.required ?? 0) || chance.next() < 0.5)
            .filter((name) => values[name] !== undefined)
            .map((name) => [name, values[name]]),
        );
        const actor = { database: t.database, credential: at(tokens, walk % tokens.length) };
        const went = await callAsRaw(actor, operation?.name ?? "", given).then(
          () => true,
          () => false,
        );
        if (!went || !operation) continue;
        reached.add(operation.name);
        await t.query`delete from rate_limit_counters`;
        await t.query`update agent_jobs set not_before = null where product_id = ${world.id} and not_before is not null`;
        const found = await decidedWithoutAPerson(world);
        expect(
          found,
          `walk ${walk}, step ${step}: ${operation?.name} ${JSON.stringify(given)}`,
        ).toEqual([]);
      }
      const rows = await t.query`select count(*) filter (where phase = 'plan')::int as plans,
        count(*) filter (where phase = 'review')::int as works from agent_jobs where product_id = ${world.id}`;
      handedIn.plans += at(rows, 0).plans;
      handedIn.works += at(rows, 0).works;
    }
    // The walks come as far as the gates.
    expect(handedIn.plans + handedIn.works).toBeGreaterThan(0);
    expect(reached.size).toBeGreaterThan(20);
  });
});

/** A product whose plans, work, stories and failures are for people: one task planned by a person, others by no one. */
async function openProduct(owner: TestUser, member: TestUser, strategy: string) {
  const actor = t.actorOf(owner);
  const gates = { p_done_requires: "person", p_plan_review: "person", p_agent_items: "triage" };
  const { id } = await t.seedProduct(owner, {
    ...gates,
    p_on_failure: "ask",
    p_pr_strategy: strategy,
  });
  await t.addMember(id, member);
  const pbi = await create(actor, "create_pbi", { p_product_id: id, p_title: "PBI" });
  const stories: string[] = [];
  for (const plans of [[personsPlans[0], undefined], [personsPlans[1]]]) {
    const fields = { p_title: "Story", p_acceptance_criteria: "- [ ] Works" };
    const story = await create(actor, "create_story", { p_pbi_id: pbi.id, ...fields });
    stories.push(story.id);
    for (const p_implementation_plan of plans) {
      const task = { p_story_id: story.id, p_title: "Task", p_description: "Do it" };
      await create(actor, "create_task", { ...task, p_implementation_plan });
    }
  }
  await seedActiveSprint(actor, id, stories);
  return { id, stories };
}

/** Everything done, approved or planned in the product although no person decided it. */
async function decidedWithoutAPerson({ id, stories }: { id: string; stories: string[] }) {
  return t.query`
    select 'a story is done' as what from stories where product_id = ${id} and status = 'DONE'
    union all select 'a task is done without its job' from tasks k where k.product_id = ${id} and k.status = 'DONE'
      and not exists (select from agent_jobs j where j.task_id = k.id and j.status = 'DONE')
      and not exists (select from task_executions e where e.task_id = k.id and e.status = 'DONE')
    union all select 'work began by a plan of no person' from agent_jobs j where j.product_id = ${id}
      and j.plan_snapshot ~ '[^[:space:]]' and j.plan_snapshot <> all (${personsPlans}::text[])
    union all select 'a part began by a plan of no person' from task_executions e join tasks k on k.id = e.task_id
      where k.product_id = ${id} and e.plan_snapshot ~ '[^[:space:]]' and e.plan_snapshot <> all (${personsPlans}::text[])
    union all select 'work was handed in without a plan' from agent_jobs j where j.product_id = ${id} and j.kind = 'TASK_IMPLEMENTATION'
      and (j.phase in ('review', 'verify') or j.status = 'DONE') and coalesce(j.plan_snapshot, '') !~ '[^[:space:]]'
    union all select 'a run asks no person for plans' from sprint_runs where product_id = ${id} and plan_review = 'none'
    union all select 'a story left triage' from stories where product_id = ${id} and not in_triage and id <> all (${stories}::uuid[])
    union all select 'work was approved' from job_reviews where product_id = ${id} and verdict = 'approve'
    union all select 'a plan was approved' from agent_questions where product_id = ${id} and plan is not null and status = 'ANSWERED'
    union all select 'a failure was settled' from agent_questions q where q.product_id = ${id} and q.options -> 0 ->> 'label' = 'Try again'
      and (q.status = 'ANSWERED' or (q.status = 'CANCELLED' and exists (
        select from agent_jobs j where j.id = q.job_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING'))))
    union all select 'a lesson was accepted' from lessons where product_id = ${id} and status = 'accepted'
    union all select 'a criterion was waived' from waivers where product_id = ${id}
    union all select 'a person observed it' from evidence where product_id = ${id} and grade = 'person'
    union all select 'a permission was given' from agent_questions where product_id = ${id} and kind = 'permission' and status = 'ANSWERED'
    union all select 'workers were allowed' from product_members where product_id = ${id} and role = 'MEMBER' and workers_allowed
    union all select 'the gates are weaker' from products where id = ${id}
      and (done_requires, plan_review, agent_items, on_failure)::text <> '(person,person,triage,ask)'`;
}
