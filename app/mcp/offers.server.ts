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
} from "~/nouns/agent-jobs/tools.server";
import { getBudgetsTool } from "~/nouns/budgets/tools.server";
import { addCommentTool, listCommentsTool } from "~/nouns/comments/tools.server";
import {
  addDependencyTool,
  listReadyTool,
  removeDependencyTool,
} from "~/nouns/dependencies/tools.server";
import { createIdeaTool, promoteIdeaTool, updateIdeaTool } from "~/nouns/ideas/tools.server";
import { createLabelTool, listLabelsTool, setLabelsTool } from "~/nouns/labels/tools.server";
import { createProductTool, getContextTool, listProductsTool } from "~/nouns/products/tools.server";
import {
  answerUserQuestionTool,
  askUserQuestionTool,
  cancelQuestionTool,
  getQuestionAnswerTool,
  listOpenQuestionsTool,
  listOpenUserQuestionsTool,
} from "~/nouns/questions/tools.server";
import { searchTool } from "~/nouns/search/tools.server";
import {
  cancelSprintRunTool,
  getSprintRunTool,
  pauseSprintRunTool,
  resumeSprintRunTool,
  resumeSprintTool,
  startRunTool,
  startSprintRunTool,
} from "~/nouns/sprint-runs/tools.server";
import {
  addStoryToSprintTool,
  createSprintTool,
  getSprintContextTool,
  startSprintTool,
} from "~/nouns/sprints/tools.server";
import {
  createPbiTool,
  createStoryTool,
  createTaskTool,
  markPbiPrMergedTool,
  setPbiPrTool,
} from "~/nouns/stories/backlog-tools.server";
import {
  logCommitTool,
  logImplementationTool,
  logTestResultTool,
} from "~/nouns/stories/story-log-tools.server";
import { getTaskTool, updateTaskPlanTool, updateTaskStatusTool } from "~/nouns/tasks/tools.server";
import { workerHeartbeatTool } from "~/nouns/workers/tools.server";
import type { Offer } from "./endpoint.server";
import { instructions, workerInstructions } from "./instructions";
import { healthTool } from "./tools/health.server";

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
