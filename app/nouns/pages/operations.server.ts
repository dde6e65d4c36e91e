import { noInput, operation } from "~/nouns/operation.server";
import { jobIdInput, whyNotMovingSchema } from "~/wire/agent-jobs/contract";
import { commentListSchema } from "~/wire/comments/contract";
import { taskForecastSchema } from "~/wire/forecasts/contract";
import * as wire from "~/wire/pages/contract";
import { productIdInput } from "~/wire/products/contract";
import { storyProofSchema } from "~/wire/proof/contract";
import { storyRecurrenceSchema } from "~/wire/recurrences/contract";
import { sprintIdInput, sprintReviewSchema } from "~/wire/sprints/contract";
import { storyIdInput } from "~/wire/stories/contract";
import { taskIdInput } from "~/wire/tasks/contract";
import { cursorSchema } from "~/wire/text";
import { countedRowsSchema } from "../insights/scoreboard";

/** The first page after signing in. */
export const getDashboard = operation("get_dashboard", noInput, wire.dashboardSchema);

/** Codes, titles and states of all items in a product. */
export const getBacklogTree = operation("get_backlog_tree", productIdInput, wire.backlogTreeSchema);

/** The frame around every signed-in page. */
export const getShell = operation("get_shell", wire.shellInput, wire.shellSchema);

/** One person's part of the active sprint. */
export const getSoloBoard = operation("get_solo_board", productIdInput, wire.soloBoardSchema);

/** The sprint page: stories, cards, newest run, candidates. */
export const getSprintBoard = operation("get_sprint_board", wire.sprintPageInput, wire.sprintPageSchema);

/** The sprint review: stories with proof, changes and cost, and open work. */
export const getSprintReview = operation("get_sprint_review", sprintIdInput, sprintReviewSchema);

/** What all tabs of a job share. */
export const getJobPage = operation("get_job_page", jobIdInput, wire.jobPageSchema);

/** A run with its order, budgets, reasons and the open questions of its product. */
export const getRunPage = operation("get_run_page", wire.runPageInput, wire.runPageSchema);

/** The branch of a task or story. */
export const getBranch = operation("get_branch", wire.branchInput, wire.branchSchema);

const comments = { comments_before: cursorSchema.optional() };

export const getStoryPage = operation(
  "get_story_page",
  storyIdInput.extend(comments),
  wire.storyPageSchema.extend({
    proof: storyProofSchema,
    comments: commentListSchema,
    recurrence: storyRecurrenceSchema,
  }),
);

/** Everything about one task; what its state leaves undrawn is null. */
export const getTaskPage = operation(
  "get_task_page",
  taskIdInput.extend(comments),
  wire.taskPageSchema.extend({
    why: whyNotMovingSchema.nullable(),
    comments: commentListSchema,
    forecast: taskForecastSchema.omit({ estimate: true, ceiling: true }),
    proof: storyProofSchema,
    scoreboard: countedRowsSchema.nullable(),
  }),
);

/** What the backlog shows of a story or task next to the list. */
const inStoryPanel = { story: true, product: true, sprint: true, sprints: true, members: true, tasks: true } as const;
export const getStoryPanel = operation("get_story_panel", storyIdInput, wire.storyPageSchema.pick(inStoryPanel));
const inTaskPanel = { task: true, story: true, jobs: true, reviews: true } as const;
export const getTaskPanel = operation("get_task_panel", taskIdInput, wire.taskPageSchema.pick(inTaskPanel));
