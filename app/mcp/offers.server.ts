import type { Offer } from "./endpoint.server";
import { instructions, workerInstructions } from "./instructions";
import {
  createPbiTool,
  createStoryTool,
  createTaskTool,
  markPbiPrMergedTool,
  setPbiPrTool,
} from "./tools/backlog.server";
import { getBudgetsTool } from "./tools/budgets.server";
import { addCommentTool, listCommentsTool } from "./tools/comments.server";
import {
  addDependencyTool,
  listReadyTool,
  removeDependencyTool,
} from "./tools/dependencies.server";
import { healthTool } from "./tools/health.server";
import { createIdeaTool, promoteIdeaTool, updateIdeaTool } from "./tools/ideas.server";
import {
  cancelJobTool,
  checkQueueEmptyTool,
  jobHeartbeatTool,
  reportJobUsageTool,
  updateJobStatusTool,
  updateTaskExecutionTool,
  verifySprintTaskTool,
  verifyTaskAgainstPlanTool,
  waitForJobTool,
  whyNotMovingTool,
} from "./tools/jobs.server";
import { createLabelTool, listLabelsTool, setLabelsTool } from "./tools/labels.server";
import { createProductTool, getContextTool, listProductsTool } from "./tools/products.server";
import {
  answerUserQuestionTool,
  askUserQuestionTool,
  cancelQuestionTool,
  getQuestionAnswerTool,
  listOpenQuestionsTool,
  listOpenUserQuestionsTool,
} from "./tools/questions.server";
import { searchTool } from "./tools/search.server";
import {
  cancelSprintRunTool,
  getSprintRunTool,
  pauseSprintRunTool,
  resumeSprintRunTool,
  resumeSprintTool,
  startRunTool,
  startSprintRunTool,
} from "./tools/sprint-runs.server";
import {
  addStoryToSprintTool,
  createSprintTool,
  getSprintContextTool,
  startSprintTool,
} from "./tools/sprints.server";
import { logCommitTool, logImplementationTool, logTestResultTool } from "./tools/story-log.server";
import { getTaskTool, updateTaskPlanTool, updateTaskStatusTool } from "./tools/tasks.server";
import { workerHeartbeatTool } from "./tools/workers.server";

/** `/mcp`: every tool. */
export const allTools: Offer = {
  audience: "/mcp",
  instructions,
  tools: [
    healthTool,
    listProductsTool,
    getContextTool,
    getSprintContextTool,
    getTaskTool,
    searchTool,
    createProductTool,
    createPbiTool,
    createStoryTool,
    createTaskTool,
    listLabelsTool,
    createLabelTool,
    setLabelsTool,
    addCommentTool,
    listCommentsTool,
    addDependencyTool,
    removeDependencyTool,
    listReadyTool,
    createSprintTool,
    addStoryToSprintTool,
    startSprintTool,
    updateTaskStatusTool,
    updateTaskPlanTool,
    logImplementationTool,
    logTestResultTool,
    logCommitTool,
    askUserQuestionTool,
    getQuestionAnswerTool,
    listOpenQuestionsTool,
    cancelQuestionTool,
    startRunTool,
    startSprintRunTool,
    getSprintRunTool,
    pauseSprintRunTool,
    resumeSprintRunTool,
    cancelSprintRunTool,
    resumeSprintTool,
    waitForJobTool,
    jobHeartbeatTool,
    updateJobStatusTool,
    reportJobUsageTool,
    verifyTaskAgainstPlanTool,
    verifySprintTaskTool,
    updateTaskExecutionTool,
    checkQueueEmptyTool,
    workerHeartbeatTool,
    cancelJobTool,
    whyNotMovingTool,
    getBudgetsTool,
    setPbiPrTool,
    markPbiPrMergedTool,
    createIdeaTool,
    updateIdeaTool,
    promoteIdeaTool,
    answerUserQuestionTool,
    listOpenUserQuestionsTool,
  ],
};

/** `/mcp/worker`: only the tools a worker's loop needs. */
export const workerTools: Offer = {
  audience: "/mcp/worker",
  instructions: workerInstructions,
  tools: [
    waitForJobTool,
    jobHeartbeatTool,
    updateJobStatusTool,
    reportJobUsageTool,
    verifyTaskAgainstPlanTool,
    verifySprintTaskTool,
    updateTaskExecutionTool,
    workerHeartbeatTool,
    askUserQuestionTool,
    getQuestionAnswerTool,
    pauseSprintRunTool,
    logCommitTool,
  ],
};
