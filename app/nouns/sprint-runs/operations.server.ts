import { operation } from "~/nouns/operation.server";
import * as wire from "~/wire/sprint-runs/contract";
import { sprintIdInput } from "~/wire/sprints/contract";

/** Cancels an unfinished run and its jobs; tasks and sprint stay as they are (specification: Sprint run). */
export const cancelSprintRun = operation("cancel_sprint_run", wire.sprintRunIdInput, wire.sprintRunSchema);

/** A run with its jobs and executions (specification: Sprint run). */
export const getSprintRun = operation("get_sprint_run", wire.sprintRunIdInput, wire.sprintRunDetailSchema);

/** Runs of a product or sprint, newest first (specification: Sprint run). */
export const listSprintRuns = operation("list_sprint_runs", wire.listSprintRunsInput, wire.sprintRunPageSchema);

/** Pauses a run, for a person or for a worker with a merge conflict (specification: Sprint run). */
export const pauseSprintRun = operation("pause_sprint_run", wire.pauseSprintRunInput, wire.sprintRunSchema);

/** Everything that would prevent a run from starting (specification: Starting a sprint run 1). */
export const preflightSprintRun = operation("preflight_sprint_run", sprintIdInput, wire.preflightSchema);

/** Resumes a paused run. Returns the run that continues, a new one in batch mode (specification: Sprint run). */
export const resumeSprintRun = operation("resume_sprint_run", wire.sprintRunIdInput, wire.sprintRunSchema);

/** A new run of a failed sprint. Null if people have finished everything by hand: it is active and can be completed. */
export const resumeSprint = operation("resume_sprint", wire.resumeSprintInput, wire.startedSprintRunSchema.nullable());

/** With a budget if `stop_at` is given; a refusal has `{ blockers }` (specification: Starting a sprint run). */
export const startSprintRun = operation("start_sprint_run", wire.sprintToRunInput, wire.startedSprintRunSchema);

/** Starts a run over chosen tasks or a story, without a sprint; a refusal carries `{ blockers }` (docs/running.md). */
export const startRun = operation("start_run", wire.startRunInput, wire.startedRunSchema);
