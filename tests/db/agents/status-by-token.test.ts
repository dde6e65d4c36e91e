import pg from "pg";
import { describe, expect, it } from "vitest";
import { callAsRaw } from "~/db/rpc.server";
import { doneRequirements } from "~/wire/products/contract";
import { createTestDatabase } from "../../setup/database";
import { at, claim, finish, type SprintOptions, type TestUser } from "../../setup/world";
import { person, sampled, tokenOf } from "./decision-world";

const t = await createTestDatabase();

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
    "A task %s changes its status by any principal and door only as its product's gate allows",
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

/** All pairs of statuses by all doors: of tokens under every gate, of sessions under two, of those who may not write under one. */
async function movesOf(users: Record<string, TestUser>, waits: readonly string[]) {
  const moves = [];
  for (const [role, user] of Object.entries(users)) {
    for (const [kind, credential] of [
      ["session", person(user)],
      ["token", await tokenOf(t, user)],
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
