import { noInput, operation } from "~/nouns/operation.server";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import {
  backlogTreeSchema,
  branchInput,
  branchSchema,
  dashboardSchema,
  jobPageSchema,
  runPageInput,
  runPageSchema,
  shellInput,
  shellSchema,
  soloBoardSchema,
  sprintPageInput,
  sprintPageSchema,
  storyPageSchema,
  taskPageSchema,
} from "~/wire/pages/contract";
import { productIdInput } from "~/wire/products/contract";
import { sprintIdInput, sprintReviewSchema } from "~/wire/sprints/contract";
import { storyIdInput } from "~/wire/stories/contract";
import { taskIdInput } from "~/wire/tasks/contract";

/** The first page after signing in. */
export const getDashboard = operation("get_dashboard", noInput, dashboardSchema);

/** Codes, titles and states of all items in a product. */
export const getBacklogTree = operation("get_backlog_tree", productIdInput, backlogTreeSchema);

/** The frame around every signed-in page. */
export const getShell = operation("get_shell", shellInput, shellSchema);

/** One person's part of the active sprint. */
export const getSoloBoard = operation("get_solo_board", productIdInput, soloBoardSchema);

/** The sprint page: stories, cards, newest run, candidates. */
export const getSprintBoard = operation("get_sprint_board", sprintPageInput, sprintPageSchema);

/** The sprint review: stories with proof, changes and cost, and open work. */
export const getSprintReview = operation("get_sprint_review", sprintIdInput, sprintReviewSchema);

/** What all tabs of a job share. */
export const getJobPage = operation("get_job_page", jobIdInput, jobPageSchema);

/** A run with its order, budgets, reasons and the open questions of its product. */
export const getRunPage = operation("get_run_page", runPageInput, runPageSchema);

/** The branch of a task or story. */
export const getBranch = operation("get_branch", branchInput, branchSchema);

export const getStoryPage = operation("get_story_page", storyIdInput, storyPageSchema);

/** Everything about one task. */
export const getTaskPage = operation("get_task_page", taskIdInput, taskPageSchema);
