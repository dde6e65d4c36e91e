import { describe, expect, it } from "vitest";
import { createTestDatabase } from "../../setup/database";
import { at } from "../../setup/world";
import {
  argumentsOf,
  decidedIn,
  dice,
  look,
  openerOf,
  openTrial,
  personsPlans,
  type Seen,
  tokenOf,
} from "./decision-world";

const t = await createTestDatabase();
const openOnce = openerOf(t);

type Given = (seen: Seen, productId: string) => object;
const by = (who: "token" | "person" | "service") => (name: string, given: Given) => ({ who, name, given });
const [token, someone, service] = [by("token"), by("person"), by("service")];
type Step = ReturnType<typeof token>;

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
  it.each(Object.entries(ways))("An agent decides nothing by %s", async (_name, { strategy = "STORY", steps }) => {
    const { owner, world } = await openOnce(strategy);
    const trial = await openTrial(t);
    const { rows } = await trial.client.query(
      "insert into user_sessions (user_id, expires_at) values ($1, now() + interval '1 day') returning id",
      [owner.id],
    );
    const credentials = {
      token: await tokenOf(t, owner),
      person: { session_id: rows[0].id },
      service: { service: true },
    };
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
