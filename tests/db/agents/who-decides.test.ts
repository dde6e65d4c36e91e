import { createHash } from "node:crypto";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import { callAsRaw } from "~/db/rpc.server";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { doneRequirements } from "~/nouns/products/contract";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { roundsOf } from "../../setup/rounds";
import { at, claim, create, finish, type SprintOptions, seedActiveSprint, type TestUser } from "../../setup/world";

const t = await createTestDatabase();

/** The credential of a person, and one of a token of theirs. */
const person = ({ id }: { id: string }) => ({ user_id: id });
const tokenOf = async (user: { id: string }) => ({
  token_hash: createHash("sha256")
    .update(await t.createToken(user))
    .digest("hex"),
});

const operationRow = z.object({ name: z.string(), names: z.array(z.string()).nullable(), required: z.int() });

/** Every operation that writes and that a program can reach: over MCP, over REST, or by what these are made of. */
async function reachable() {
  const sources = Object.entries(
    import.meta.glob<string>(
      ["../../../app/{mcp,nouns}/**/*.server.ts", "../../../app/routes/api.**/*.ts", "../../../app/routes/api.*.ts"],
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
        const said = await client.query("select public.call_as($1, $2, $3)", [credential, door, given]).then(
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

/** Every one under `npm run test:all`, every eleventh otherwise: eleven meets all doors, pairs and principals over the situations. */
const stride = roundsOf("STATUS_STEP", { whole: 1, short: 11 });
function sampled<Item>(all: readonly Item[]): Item[] {
  return all.filter((_, index) => index % stride === 0);
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
      const gates = isReader ? ["none"] : kind === "session" ? ["none", "person"] : doneRequirements;
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
  const isUnknown = door === "update_task" && (to === "FAILED" || (to === "REVIEW" && !judged.includes(gate)));
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
  const pick = <Item>(list: readonly Item[]): Item | undefined => list[Math.floor(next() * list.length)];
  return { next, pick };
}
type Dice = ReturnType<typeof dice>;

const ids = z.array(z.string());
const seenSchema = z.object({
  tasks: z.array(z.object({ id: z.string(), code: z.string(), story: z.string() })),
  stories: ids,
  pbis: ids,
  sprints: ids,
  runs: ids,
  questions: ids,
  lessons: ids,
  jobs: z.array(
    z.object({
      id: z.string(),
      attempt: z.int(),
      task: z.string().nullable(),
      question: z.string().nullable(),
      held: z.boolean(),
    }),
  ),
});
/** How a story names its criterion "Works". */
const criterion = createHash("sha256").update("Works").digest("hex").slice(0, 12);
const personsPlans = ["The plan of a person", "Another plan of a person"];

/** What is there for a walk to choose from. */
async function look(client: pg.Client, productId: string) {
  const idsOf = (table: string, fields = "to_json(x.id)") =>
    `(select coalesce(json_agg(${fields} order by x.created_at, x.id), '[]') from ${table} x where x.product_id = $1)`;
  const { rows } = await client.query(
    `select json_build_object(
      'tasks', ${idsOf("tasks", "json_build_object('id', x.id, 'code', x.code, 'story', x.story_id)")},
      'stories', ${idsOf("stories")}, 'pbis', ${idsOf("pbis")}, 'sprints', ${idsOf("sprints")},
      'runs', ${idsOf("sprint_runs")}, 'lessons', ${idsOf("lessons")}, 'questions', ${idsOf("agent_questions")},
      'jobs', ${idsOf("agent_jobs", "json_build_object('id', x.id, 'attempt', x.attempt, 'task', x.task_id, 'question', x.parked_question_id, 'held', x.status in ('CLAIMED', 'RUNNING'))")}
    ) as seen`,
    [productId],
  );
  return seenSchema.parse(rows[0]?.seen);
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
    p_product_id: productId,
    p_task_id: task?.id,
    p_task: task?.code,
    p_status: status,
    p_story_id: pick(seen.stories),
    p_pbi_id: pick(seen.pbis),
    p_sprint_id: pick(seen.sprints),
    p_sprint_run_id: pick(seen.runs),
    p_question_id: pick(seen.questions),
    p_lesson_id: pick(seen.lessons),
    p_job_id: job?.id,
    p_attempt: job?.attempt,
    p_option: pick([0, 0, 1]),
    p_answer: "Yes",
    p_kind: isTask ? "task" : "story",
    p_id: isTask ? task?.id : pick(seen.stories),
    p_worker: "agent",
    p_title: "Mine",
    p_body: "Mine",
    p_text: "Mine",
    p_content: "Mine",
    p_question: "May I?",
    p_implementation_plan: plan,
    p_plan: plan,
    p_verify_only: true,
    p_verdict: pick(["approve", "accept", "request_changes"]),
    p_summary: "Good",
    p_verify_result: result,
    p_changed_files: ["a.ts"],
    p_allowed: true,
    p_reason: "Mine",
    p_task_ids: seen.tasks.slice(0, 2).map(({ id }) => id),
    p_plan_first: next() < 0.5,
    p_plan_review: pick(["none", "person"]),
    p_use_description: true,
    p_leave_out: true,
    p_strategy: pick(["STORY", "SPRINT_BATCH"]),
    p_park: true,
    p_on_expiry: "STOP",
    p_description: "Mine",
    p_criterion: criterion,
    p_cron: "0 0 * * *",
    p_zone: "UTC",
    p_missed: "once",
    p_next_at: "2020-01-01",
    p_attempts: [{ job_id: job?.id, attempt: 1 }],
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
    p_pbis: [{ title: "Mine", stories: [{ ...story, tasks: [{ ...imported, external_id: `t${next()}` }] }] }],
    p_evidence: { criterion, verdict: "pass", grade: "person", excerpt: "Mine" },
  };
  return known;
}

/** Arguments that no walk gives: what they belong to decides nothing. */
const pointless =
  /^p_(?:blocked_by|blocker|name|type|path|line|side|line_text|user_question_id|entries|page|look|code|file_id|comment_id|label_id|budget_id|view_id|usage|conflict|project|label|issues|pulls|item_id|mark|viewed|idea_id|issue_note_id|lease|state|landing_id|upkeep_id|diff|scope|unit|amount|pr_url|head_sha|chapters|invitation_id|accept|pairing_id|mobile_secret_hash|role|code_hash|identifier|query|key_hash)$/;
/** What moves work on, chosen more often. */
const often: Record<string, number> = {
  claim_agent_job: 8,
  report_agent_job: 14,
  start_run: 4,
  start_sprint_run: 4,
  update_task: 6,
  update_task_execution: 6,
  resume_sprint_run: 3,
  take_agent_job: 3,
  pause_sprint_run: 2,
  import_backlog: 2,
  cancel_question: 3,
  verify_task_against_plan: 3,
};

/** Tries calls in one transaction, which ends as if none had been made. A call that is refused changes nothing. */
async function openTrial() {
  const client = new pg.Client({ connectionString: t.urlFor("supabase_admin") });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query(`create function pg_temp.went(p_credential jsonb, p_name text, p_given jsonb) returns boolean
    language plpgsql as $$
    begin
      if p_credential ? 'service' then
        execute format('select operations.%I(%s)', p_name,
          (select string_agg(format('%I => %L', key, value), ', ') from jsonb_each_text(p_given)));
      else
        perform public.call_as(p_credential, p_name, p_given);
      end if;
      delete from public.rate_limit_counters;
      update public.agent_jobs set not_before = null where not_before is not null;
      return true;
    exception when others then
      return false;
    end $$;
    begin; savepoint start`);
  return {
    client,
    async went(credential: object, name: string, given: object): Promise<boolean> {
      const row = [JSON.stringify(credential), name, JSON.stringify(given)];
      const { rows } = await client.query("select pg_temp.went($1, $2, $3) as went", row);
      return rows[0].went;
    },
    startAgain: () => client.query("rollback to start"),
  };
}

const opened = new Map<string, ReturnType<typeof openNew>>();

/** What is tried is undone, so one product serves all tries. */
function openOnce(strategy: string) {
  const one = opened.get(strategy) ?? openNew(strategy);
  opened.set(strategy, one);
  return one;
}

async function openNew(strategy: string) {
  const [owner, member] = [await t.createUser(), await t.createUser()];
  return { owner, member, world: await openProduct(owner, member, strategy) };
}

/** The arguments of a call that chance gives: those that it needs, and now and then the others. */
function given(operation: z.infer<typeof operationRow>, values: Record<string, unknown>, { next }: Dice) {
  const names = (operation.names ?? []).filter(
    (name, index) => values[name] !== undefined && (index < operation.required || next() < 0.5),
  );
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

describe("an agent with only its own token", { timeout: 600_000 }, () => {
  const walks = roundsOf("WALKS", { whole: 1_000, short: 5 });

  it(`decides nothing in ${walks} random walks through all that a token reaches`, async () => {
    const all = await reachable();
    const worlds = [await openOnce("STORY"), await openOnce("SPRINT_BATCH")];
    const first = at(worlds, 0).world;
    const trial = await openTrial();
    const known = argumentsOf(await look(trial.client, first.id), dice(0), first.id);
    const unknown = all.flatMap(({ name, names, required }) =>
      (names ?? [])
        .slice(0, required)
        .filter((argument) => !(argument in known) && !pointless.test(argument))
        .map((argument) => `${name} ${argument}`),
    );
    expect(unknown, "arguments that a walk should give, or that decide nothing").toEqual([]);
    const operations = all.flatMap((one) => Array(often[one.name] ?? 1).fill(one) as typeof all);
    const people = worlds.flatMap(({ owner, member }) => [owner, member]);
    const tokens = new Map<TestUser, object>();
    for (const one of people) tokens.set(one, await tokenOf(one));
    const reached = new Set<string>();
    let handedIn = 0;
    for (let walk = 0; walk < walks; walk++) {
      const chance = dice(walk);
      const { world, owner, member } = at(worlds, walk % 2);
      const credential = tokens.get(walk % 4 < 2 ? owner : member) ?? {};
      const steps: string[] = [];
      await trial.startAgain();
      let seen = await look(trial.client, world.id);
      for (let step = 0; step < 60; step++) {
        const operation = at(operations, Math.floor(chance.next() * operations.length));
        const call = given(operation, argumentsOf(seen, chance, world.id), chance);
        if (!(await trial.went(credential, operation.name, call))) continue;
        reached.add(operation.name);
        steps.push(`${operation.name} ${JSON.stringify(call)}`);
        seen = await look(trial.client, world.id);
        // What was decided stays so, but for a failure that is settled.
        if (steps.length % 10 > 0) continue;
        expect(await decidedIn(trial.client, world), `walk ${walk}: ${steps.join("; ")}`).toEqual([]);
      }
      expect(await decidedIn(trial.client, world), `walk ${walk}: ${steps.join("; ")}`).toEqual([]);
      const waiting = "select from agent_jobs where product_id = $1 and phase in ('plan', 'review')";
      handedIn += (await trial.client.query(waiting, [world.id])).rowCount ?? 0;
    }
    // The walks come as far as the gates.
    expect(handedIn).toBeGreaterThan(0);
    expect(reached.size).toBeGreaterThan(20);
  });
});

/** One task with its story, job and question; the last has no job. */
function aimedAt(seen: Seen, index: number): Seen {
  const task = at(seen.tasks, index);
  const aim = { ...seen, tasks: [task], stories: [task.story] };
  const jobs = seen.jobs.filter((job) => job.task === task.id);
  const questions = jobs.flatMap(({ question }) => question ?? []);
  return jobs.length > 0 ? { ...aim, jobs, questions } : aim;
}

/** What a session decides through every door, where a plan, work, a failure, a story, a criterion and workers wait. */
const sessionsDecide = [
  "a criterion was waived",
  "a failure was settled",
  "a person observed it",
  "a plan was approved",
  "a story left triage",
  "work was approved",
];

type Given = (seen: Seen, productId: string) => object;
const by = (who: "token" | "person" | "service") => (name: string, given: Given) => ({ who, name, given });
const [token, someone, service] = [by("token"), by("person"), by("service")];
type Step = ReturnType<typeof token>;

/** Arguments that a case repeats. */
const newest = ({ jobs }: Seen) => ({ p_job_id: jobs.at(-1)?.id, p_attempt: jobs.at(-1)?.attempt });
const report = (p_report: object): Step => token("report_agent_job", (seen) => ({ ...newest(seen), p_report }));
const taskOf = (seen: Seen, index: number) => ({ p_task_id: at(seen.tasks, index).id });
const write = (index: number): Step =>
  token("update_task", (seen) => ({ ...taskOf(seen, index), p_implementation_plan: "An agent's" }));
const start = (index: number, rest: object = {}): Step =>
  token("start_run", (seen) => ({ p_task_ids: [at(seen.tasks, index).id], ...rest }));
const startSprint = token("start_sprint_run", ({ sprints }) => ({ p_sprint_id: sprints[0], p_plan_first: true }));
const claims = token("claim_agent_job", () => ({ p_worker: "agent" }));
const done = report({ status: "done", verify_result: "ALIGNED" });
const run = ({ runs }: Seen) => ({ p_sprint_run_id: runs.at(-1) });
const dummy = token("create_task", (seen) => ({ p_story_id: at(seen.stories, 1), p_title: "Mine" }));
const work = [dummy, start(2), claims, report({ status: "running" }), done];
const worked = [claims, report({ status: "running" }), done];

/** Ways around that were open once: what comes first, and the calls after which nothing may be decided. */
const ways: Record<string, { strategy?: string; steps: Step[] }> = {
  "a plan written before the start": { steps: [write(1), start(1, { p_plan_first: true }), ...worked] },
  "a plan written by the attempt before": {
    steps: [
      start(1, { p_plan_first: true }),
      claims,
      write(1),
      report({ status: "failed", failure_class: "agent_error" }),
      someone("answer_question", ({ questions }) => ({ p_question_id: questions.at(-1), p_option: 0 })),
      ...worked,
    ],
  },
  "another plan in a batch that is resumed": {
    strategy: "SPRINT_BATCH",
    steps: [
      startSprint,
      write(0),
      token("pause_sprint_run", run),
      token("resume_sprint_run", run),
      claims,
      token("update_task_execution", (seen) => ({ ...newest(seen), ...taskOf(seen, 0), p_status: "running" })),
    ],
  },
  "a job taken into a terminal": {
    steps: [
      start(1, { p_plan_first: true }),
      write(1),
      token("take_agent_job", ({ tasks }) => ({ p_task: at(tasks, 1).code })),
      done,
    ],
  },
  "an import with a plan, done": {
    steps: [
      token("import_backlog", (seen, p_product_id) => ({
        p_product_id,
        p_pbis: argumentsOf(seen, dice(1), "").p_pbis,
      })),
      start(3, { p_plan_first: true }),
      ...worked,
    ],
  },
  "a run that asks for no plans": { steps: [write(1), start(1, { p_plan_review: "none" }), ...worked] },
  "a description for a plan": { steps: [start(1, { p_use_description: true, p_plan_first: true }), ...worked] },
  "a plan that an undo brings back": {
    steps: [
      write(1),
      someone("edit_task", (seen) => ({ ...taskOf(seen, 1), p_changes: { implementation_plan: personsPlans[0] } })),
      someone("undo_change", () => ({})),
      start(1, { p_plan_first: true }),
      ...worked,
    ],
  },
  "a template that an agent edits": {
    steps: [
      someone("set_recurrence", (seen) => ({
        p_story_id: seen.stories[1],
        p_cron: "0 0 * * *",
        p_zone: "UTC",
        p_missed: "once",
        p_next_at: "2020-01-01",
      })),
      write(2),
      service("fire_recurrence", (seen) => ({
        p_story_id: seen.stories[1],
        p_due_at: "2020-01-01",
        p_slot: "2020-01-01",
        p_is_late: false,
      })),
      start(3, { p_plan_first: true }),
      ...worked,
    ],
  },
  "a sprint that is resumed": {
    steps: [
      startSprint,
      claims,
      write(0),
      someone("edit_task", (seen) => ({ ...taskOf(seen, 0), p_changes: { status: "failed" } })),
      token("resume_sprint", ({ sprints }) => ({ p_sprint_id: sprints[0], p_plan_first: true })),
      ...worked,
    ],
  },
  "the last open task deleted": { steps: [...work, token("delete_task", (seen) => taskOf(seen, 3))] },
  "the last open task moved away": {
    steps: [...work, token("move_task", (seen) => ({ ...taskOf(seen, 3), p_story_id: seen.stories[0] }))],
  },
};

describe("a way around a person", { timeout: 600_000 }, () => {
  it.each(Object.entries(ways))("%s decides nothing", async (_name, { strategy = "STORY", steps }) => {
    const { owner, world } = await openOnce(strategy);
    const trial = await openTrial();
    const { rows } = await trial.client.query(
      "insert into user_sessions (user_id, expires_at) values ($1, now() + interval '1 day') returning id",
      [owner.id],
    );
    const credentials = { token: await tokenOf(owner), person: { session_id: rows[0].id }, service: { service: true } };
    let byPerson: string[] = [];
    for (const { who, name, given } of steps) {
      const seen = await look(trial.client, world.id);
      const values = given(seen, world.id);
      const went = await trial.went(credentials[who], name, values);
      expect(went || who !== "person", `${name} of the person`).toBe(true);
      const decided = await decidedIn(trial.client, world);
      if (who !== "token") byPerson = decided;
      const others = decided.filter((what) => !byPerson.includes(what));
      expect(others, `${name} ${JSON.stringify(values)}`).toEqual([]);
    }
  });
});

describe("what waits for a person", { timeout: 600_000 }, () => {
  it("is decided by sessions of those who may write, and by no token, through every door", async () => {
    const all = await reachable();
    const { world, users } = await openWaitingForAll();
    const decided: Record<string, Set<string>> = {};
    const rows: { who: string; credential: object; operation: (typeof all)[number]; turn: number }[] = [];
    for (const [role, user] of Object.entries(users)) {
      decided[`${role} token`] = new Set();
      decided[`${role} session`] = new Set();
      const kinds = { session: person(user), token: await tokenOf(user) };
      for (const [kind, credential] of Object.entries(kinds))
        for (const operation of all)
          for (let turn = 0; turn < 12; turn++) rows.push({ who: `${role} ${kind}`, credential, operation, turn });
    }
    const trial = await openTrial();
    const seen = await look(trial.client, world.id);
    for (const { who, credential, operation, turn } of sampled(rows)) {
      const chance = dice(turn);
      const call = given(operation, argumentsOf(aimedAt(seen, turn % 4), chance, world.id), chance);
      if (!(await trial.went(credential, operation.name, call))) continue;
      for (const what of await decidedIn(trial.client, world)) decided[who]?.add(what);
      await trial.startAgain();
    }
    const found = Object.entries(decided).map(([who, what]) => [who, [...what].sort()] as const);
    const deciders = found.filter(([, what]) => what.length > 0).map(([who]) => who);
    expect(deciders).toEqual(["owner session", "member session"]);
    if (stride === 1) expect(new Map(found).get("member session")).toEqual(expect.arrayContaining(sessionsDecide));
  });
});

/** In one product a plan, a failure, work and a story of an agent wait, in the order of its tasks. */
async function openWaitingForAll() {
  const [owner, member] = [await t.createUser(), await t.createUser()];
  const world = await openProduct(owner, member, "STORY");
  const users: Record<string, TestUser> = {
    owner,
    member,
    viewer: await t.createMember(world.id, { viewer: true }),
    demo: await t.createMember(world.id, { demo: true }),
  };
  const actor = t.actorOf(owner);
  await startSprintRun(actor, { sprint_id: world.sprint, plan_first: true });
  for (const worker of ["a", "b", "c"]) {
    const { id: job_id, attempt, plan_snapshot } = await claim(actor, worker);
    const said =
      {
        [at(personsPlans, 0)]: { status: "failed", failure_class: "agent_error" } as const,
        [at(personsPlans, 1)]: { status: "done", verify_result: "ALIGNED" } as const,
      }[plan_snapshot ?? ""] ?? ({ status: "running", implementation_plan: "An agent's" } as const);
    await reportAgentJob(actor, { job_id, attempt, ...said });
  }
  const agent = { database: t.database, credential: await tokenOf(owner) };
  const suggested = { p_pbi_id: world.pbi, p_title: "Suggested", p_acceptance_criteria: "- [ ] Works" };
  const story = await create(agent, "create_story", suggested);
  await create(agent, "create_task", { p_story_id: story.id, p_title: "Task" });
  return { world, users };
}

/** A product whose plans, work, stories and failures are for people: one task planned by a person, others by no one. */
async function openProduct(owner: TestUser, member: TestUser, strategy: string) {
  const actor = t.actorOf(owner);
  const gates = { p_done_requires: "person", p_plan_review: "person", p_agent_items: "triage" };
  const { id } = await t.seedProduct(owner, { ...gates, p_on_failure: "ask", p_pr_strategy: strategy });
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
  const sprint = await seedActiveSprint(actor, id, stories);
  return { id, stories, pbi: pbi.id, sprint: sprint.id };
}

type Opened = Awaited<ReturnType<typeof openProduct>>;

/** Everything done, approved or planned in the product although no person decided it. */
async function decidedIn(client: pg.Client, { id, stories }: Opened): Promise<string[]> {
  const { rows } = await client.query(
    `
    select 'a story is done' as what from stories where product_id = $1 and status = 'DONE'
    union all select 'a task is done without its job' from tasks k where k.product_id = $1 and k.status = 'DONE'
      and not exists (select from agent_jobs j where j.task_id = k.id and j.status = 'DONE')
      and not exists (select from task_executions e where e.task_id = k.id and e.status = 'DONE')
    union all select 'work began by a plan of no person' from agent_jobs j where j.product_id = $1
      and j.plan_snapshot ~ '[^[:space:]]' and j.plan_snapshot <> all ($2::text[])
    union all select 'a part began by a plan of no person' from task_executions e join tasks k on k.id = e.task_id
      where k.product_id = $1 and e.plan_snapshot ~ '[^[:space:]]' and e.plan_snapshot <> all ($2::text[])
    union all select 'work was handed in without a plan' from agent_jobs j where j.product_id = $1 and j.kind = 'TASK_IMPLEMENTATION'
      and (j.phase in ('review', 'verify') or j.status = 'DONE') and coalesce(j.plan_snapshot, '') !~ '[^[:space:]]'
    union all select 'a run asks no person for plans' from sprint_runs where product_id = $1 and plan_review = 'none'
    union all select 'a story left triage' from stories where product_id = $1 and not in_triage and id <> all ($3::uuid[])
    union all select 'work was approved' from job_reviews where product_id = $1 and verdict = 'approve'
    union all select 'a plan was approved' from agent_questions where product_id = $1 and plan is not null and status = 'ANSWERED'
    union all select 'a failure was settled' from agent_questions q where q.product_id = $1 and q.options -> 0 ->> 'label' = 'Try again'
      and (q.status = 'ANSWERED' or (q.status = 'CANCELLED' and exists (
        select from agent_jobs j where j.id = q.job_id and j.status in ('QUEUED', 'CLAIMED', 'RUNNING'))))
    union all select 'a lesson was accepted' from lessons where product_id = $1 and status = 'accepted'
    union all select 'a criterion was waived' from waivers where product_id = $1
    union all select 'a person observed it' from evidence where product_id = $1 and grade = 'person'
    union all select 'a permission was given' from agent_questions where product_id = $1 and kind = 'permission' and status = 'ANSWERED'
    union all select 'workers were allowed' from product_members where product_id = $1 and role = 'MEMBER' and workers_allowed
    union all select 'the gates are weaker' from products where id = $1
      and (done_requires, plan_review, agent_items, on_failure)::text <> '(person,person,triage,ask)'`,
    [id, personsPlans, stories],
  );
  return rows.map(({ what }) => what);
}
