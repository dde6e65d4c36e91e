import { z } from "zod";
import * as sprintRuns from "~/nouns/sprint-runs/operations.server";
import { ceilingSchema } from "~/wire/budgets/contract";
import * as wire from "~/wire/sprint-runs/contract";
import { cursorInput, cutList, listLimit } from "../cut-list";
import { idOrCode, productOfCode, reference, resolveId, resolveOptionalId } from "../references.server";
import { defineTool } from "../tool.server";

/** Takes codes as well, where REST takes only ids. */
const runInput = wire.startRunInput
  .omit({ stop_at: true })
  .extend({
    task_ids: z.array(reference).min(1).max(500).optional().describe("Ids or codes of tasks"),
    story_id: reference.optional().describe("Its remaining tasks"),
    ceiling: ceilingSchema.optional(),
    ...productOfCode,
  });

export const startRunTool = defineTool({
  name: "start_run",
  title: "Start a run",
  description:
    "Queue jobs for task_ids or a story_id, without a sprint. If refused, `blockers` says why; plan_first, use_description and leave_out help.",
  access: "write",
  creates: true,
  input: runInput,
  run: async ({ actor }, { task_ids, story_id, product_id, ...input }) =>
    sprintRuns.startRun(actor, {
      ...input,
      task_ids: task_ids && (await Promise.all(task_ids.map((id) => resolveId(actor, "task", id, product_id)))),
      story_id: await resolveOptionalId(actor, "story", story_id, product_id),
    }),
});

const sprintInput = z.object({ sprint_id: idOrCode, ...productOfCode });

export const startSprintRunTool = defineTool({
  name: "start_sprint_run",
  title: "Start a sprint run",
  description:
    "Queue the jobs of the active sprint. If refused, `blockers` lists every reason: missing plans, open questions, blocked or failed PBIs.",
  access: "write",
  creates: true,
  input: wire.sprintToRunInput.omit({ stop_at: true }).extend(sprintInput.shape),
  run: async ({ actor }, { sprint_id, product_id, ...input }) =>
    sprintRuns.startSprintRun(actor, { ...input, sprint_id: await resolveId(actor, "sprint", sprint_id, product_id) }),
});

export const getSprintRunTool = defineTool({
  name: "get_sprint_run",
  title: "Get a sprint run",
  description: `Get a run with its state, cost, pause reason and jobs in order, ${listLimit} per page.`,
  access: "read",
  input: wire.sprintRunIdInput.safeExtend({ cursor: cursorInput }),
  run: async ({ actor }, { cursor, ...input }) => {
    const { jobs, executions, ...run } = await sprintRuns.getSprintRun(actor, input);
    const shownJobs = cutList(jobs, cursor);
    const shownExecutions = cutList(executions, cursor);
    return {
      ...run,
      jobs: shownJobs.items,
      executions: shownExecutions.items,
      next_cursor: shownJobs.next_cursor ?? shownExecutions.next_cursor,
    };
  },
});

export const pauseSprintRunTool = defineTool({
  name: "pause_sprint_run",
  title: "Pause a sprint run",
  description: "Pause a run and ask a person. Workers send job_id, attempt and reason merge_conflict.",
  access: "write",
  scopes: ["plan", "work"],
  input: wire.pauseSprintRunInput,
  run: ({ actor }, input) => sprintRuns.pauseSprintRun(actor, input),
});

export const resumeSprintRunTool = defineTool({
  name: "resume_sprint_run",
  title: "Resume a sprint run",
  description: "Resume a paused run. A batch continues as a new run on the same branch.",
  access: "write",
  input: wire.sprintRunIdInput,
  run: ({ actor }, input) => sprintRuns.resumeSprintRun(actor, input),
});

export const cancelSprintRunTool = defineTool({
  name: "cancel_sprint_run",
  title: "Cancel a sprint run",
  description: "Cancel an unfinished run and its jobs. Nothing is marked failed.",
  access: "write",
  effect: { destructive: true, repeatable: true },
  input: wire.sprintRunIdInput,
  run: ({ actor }, input) => sprintRuns.cancelSprintRun(actor, input),
});

export const resumeSprintTool = defineTool({
  name: "resume_sprint",
  title: "Resume a failed sprint",
  description:
    "Reset the failed tasks of a failed sprint and start a new run on its branch, or skip them (skip_failed). Options default to the failed run's. If nothing is left, the sprint becomes active without a run.",
  access: "write",
  input: sprintInput.extend(wire.resumeSprintInput.omit({ sprint_id: true }).shape),
  run: async ({ actor }, { sprint_id, product_id, ...how }) => {
    const sprint = await resolveId(actor, "sprint", sprint_id, product_id);
    const run = await sprintRuns.resumeSprint(actor, { ...how, sprint_id: sprint });
    return run ?? { run: null, message: "Nothing is left to do: complete the sprint." };
  },
});
