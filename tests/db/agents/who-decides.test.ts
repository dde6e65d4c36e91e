import { describe, expect, it } from "vitest";
import { z } from "zod";
import { reportAgentJob } from "~/nouns/agent-jobs/operations.server";
import { startSprintRun } from "~/nouns/sprint-runs/operations.server";
import { createTestDatabase } from "../../setup/database";
import { roundsOf } from "../../setup/rounds";
import { at, claim, create, type TestUser } from "../../setup/world";
import {
  argumentsOf,
  type Dice,
  decidedIn,
  dice,
  look,
  openerOf,
  openProduct,
  openTrial,
  person,
  personsPlans,
  type Seen,
  sampled,
  stride,
  tokenOf,
} from "./decision-world";

const t = await createTestDatabase();
const openOnce = openerOf(t);

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

/** Arguments that no walk gives: what they belong to decides nothing. */
const pointless =
  /^p_(?:blocked_by|blocker|name|type|path|line|side|line_text|user_question_id|entries|page|look|code|file_id|comment_id|label_id|budget_id|view_id|usage|conflict|project|label|issues|pulls|item_id|mark|viewed|idea_id|issue_note_id|lease|state|landing_id|upkeep_id|diff|scope|unit|amount|pr_url|head_sha|chapters|invitation_id|accept|pairing_id|mobile_secret_hash|role|code_hash|identifier|query|key_hash|import_id|rows|repository|chat_id|service|is_set_up|fields|preview_id|ticket_hash|room|previews|restarted)$/;
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

/** The arguments of a call that chance gives: those that it needs, and now and then the others. */
function given(operation: z.infer<typeof operationRow>, values: Record<string, unknown>, { next }: Dice) {
  const names = (operation.names ?? []).filter(
    (name, index) => values[name] !== undefined && (index < operation.required || next() < 0.5),
  );
  return Object.fromEntries(names.map((name) => [name, values[name]]));
}

describe("an agent with only its own token", { timeout: 600_000 }, () => {
  const walks = roundsOf("WALKS", { whole: 1_000, short: 5 });

  it(`An agent with only its token decides nothing in ${walks} random walks through all that it reaches`, async () => {
    const all = await reachable();
    const worlds = [await openOnce("STORY"), await openOnce("SPRINT_BATCH")];
    const first = at(worlds, 0).world;
    const trial = await openTrial(t);
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
    for (const one of people) tokens.set(one, await tokenOf(t, one));
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
    // The walks come as far as the gates; a few of them may not.
    if (walks >= 100) expect(handedIn).toBeGreaterThan(0);
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

describe("what waits for a person", { timeout: 600_000 }, () => {
  it("What waits for a person is decided by sessions of those who may write, and by no token", async () => {
    const all = await reachable();
    const { world, users } = await openWaitingForAll();
    const decided: Record<string, Set<string>> = {};
    const rows: { who: string; credential: object; operation: (typeof all)[number]; turn: number }[] = [];
    for (const [role, user] of Object.entries(users)) {
      decided[`${role} token`] = new Set();
      decided[`${role} session`] = new Set();
      const kinds = { session: person(user), token: await tokenOf(t, user) };
      for (const [kind, credential] of Object.entries(kinds))
        for (const operation of all)
          for (let turn = 0; turn < 12; turn++) rows.push({ who: `${role} ${kind}`, credential, operation, turn });
    }
    const trial = await openTrial(t);
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
  const world = await openProduct(t, owner, member, "STORY");
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
  const agent = { database: t.database, credential: await tokenOf(t, owner) };
  const suggested = { p_pbi_id: world.pbi, p_title: "Suggested", p_acceptance_criteria: "- [ ] Works" };
  const story = await create(agent, "create_story", suggested);
  await create(agent, "create_task", { p_story_id: story.id, p_title: "Task" });
  return { world, users };
}
