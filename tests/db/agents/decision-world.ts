import { createHash } from "node:crypto";
import pg from "pg";
import { onTestFinished } from "vitest";
import { z } from "zod";
import type { createTestDatabase } from "../../setup/database";
import { drawFrom } from "../../setup/drawn-numbers";
import { roundsOf } from "../../setup/rounds";
import { create, seedActiveSprint, type TestUser } from "../../setup/world";

type TestDatabase = Awaited<ReturnType<typeof createTestDatabase>>;

/** The credential of a person, and one of a token of theirs. */
export const person = ({ id }: { id: string }) => ({ user_id: id });
export const tokenOf = async (t: TestDatabase, user: { id: string }) => ({
  token_hash: createHash("sha256")
    .update(await t.createToken(user))
    .digest("hex"),
});

/** Every one under `npm run test:all`, every eleventh otherwise: eleven meets all doors, pairs and principals over the situations. */
export const stride = roundsOf("STATUS_STEP", { whole: 1, short: 11 });
export function sampled<Item>(all: readonly Item[]): Item[] {
  return all.filter((_, index) => index % stride === 0);
}

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
export const personsPlans = ["The plan of a person", "Another plan of a person"];

/** What is there for a walk to choose from. */
export async function look(client: pg.Client, productId: string) {
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
export type Seen = Awaited<ReturnType<typeof look>>;

export function dice(seed: number) {
  const next = drawFrom(seed);
  const pick = <Item>(list: readonly Item[]): Item | undefined => list[Math.floor(next() * list.length)];
  return { next, pick };
}
export type Dice = ReturnType<typeof dice>;

const criterion = createHash("sha256").update("Works").digest("hex").slice(0, 12);

/** What an agent gives for each argument of an operation: something that is there, or words of its own. */
export function argumentsOf(seen: Seen, { pick, next }: Dice, productId: string) {
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

/** Tries calls in one transaction, which ends as if none had been made. A call that is refused changes nothing. */
export async function openTrial(t: TestDatabase) {
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

/** What is tried is undone, so one product of each kind serves all tries. */
export function openerOf(t: TestDatabase) {
  const opened = new Map<string, ReturnType<typeof openNew>>();
  const openNew = async (strategy: string) => {
    const [owner, member] = [await t.createUser(), await t.createUser()];
    return { owner, member, world: await openProduct(t, owner, member, strategy) };
  };
  return (strategy: string) => {
    const one = opened.get(strategy) ?? openNew(strategy);
    opened.set(strategy, one);
    return one;
  };
}

/** A product whose plans, work, stories and failures are for people: one task planned by a person, others by no one. */
export async function openProduct(t: TestDatabase, owner: TestUser, member: TestUser, strategy: string) {
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
export async function decidedIn(client: pg.Client, { id, stories }: Opened): Promise<string[]> {
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
