import { z } from "zod";
import { pauseSprintRunInput, sprintRunIdInput } from "~/contract/sprint-run";
import {
  cancelSprintRun,
  getSprintRun,
  pauseSprintRun,
  resumeSprint,
  resumeSprintRun,
  startSprintRun,
} from "~/domain/sprint-runs/operations.server";
import { cursorInput, cutList, listLimit } from "../cut-list";
import { productOfCode, reference, resolveId } from "../references.server";
import { defineTool } from "../tool.server";

const sprintInput = z.object({
  sprint_id: reference.describe("Id or code of the sprint"),
  ...productOfCode,
});

export const startSprintRunTool = defineTool({
  name: "start_sprint_run",
  title: "Start a sprint run",
  description:
    "Queues the jobs of the active sprint. Refused with all `blockers` at once: tasks without a plan, open questions, blocked or failed PBIs.",
  access: "write",
  input: sprintInput,
  run: async ({ actor }, { sprint_id, product_id }) =>
    startSprintRun(actor, { sprint_id: await resolveId(actor, "sprint", sprint_id, product_id) }),
});

export const getSprintRunTool = defineTool({
  name: "get_sprint_run",
  title: "Get a sprint run",
  description: `A run with its state, cost, pause reason and jobs in order, ${listLimit} jobs and executions at a time; read on with next_cursor.`,
  access: "read",
  input: sprintRunIdInput.safeExtend({ cursor: cursorInput }),
  run: async ({ actor }, { cursor, ...input }) => {
    const { jobs, executions, ...run } = await getSprintRun(actor, input);
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
  description:
    "Pauses a run and opens a question; a worker names its job_id and attempt, and reason merge_conflict with pr_url and conflict_files.",
  access: "write",
  input: pauseSprintRunInput,
  run: ({ actor }, input) => pauseSprintRun(actor, input),
});

export const resumeSprintRunTool = defineTool({
  name: "resume_sprint_run",
  title: "Resume a sprint run",
  description: "Goes on with a paused run; a batch goes on as a new run on the same branch.",
  access: "write",
  input: sprintRunIdInput,
  run: ({ actor }, input) => resumeSprintRun(actor, input),
});

export const cancelSprintRunTool = defineTool({
  name: "cancel_sprint_run",
  title: "Cancel a sprint run",
  description: "Cancels an unfinished run and its unfinished jobs; nothing fails because of it.",
  access: "write",
  effect: { destructive: true, repeatable: true },
  input: sprintRunIdInput,
  run: ({ actor }, input) => cancelSprintRun(actor, input),
});

export const resumeSprintTool = defineTool({
  name: "resume_sprint",
  title: "Resume a failed sprint",
  description:
    "Resets what failed in a failed sprint and starts a new run on its branch. With nothing left to do the sprint is active again without a run.",
  access: "write",
  input: sprintInput,
  run: async ({ actor }, { sprint_id, product_id }) => {
    const sprint = await resolveId(actor, "sprint", sprint_id, product_id);
    const run = await resumeSprint(actor, { sprint_id: sprint });
    return run ?? { run: null, message: "Nothing is left to do: complete the sprint." };
  },
});
