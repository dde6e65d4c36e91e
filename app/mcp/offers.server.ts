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
import { setAgentTool } from "~/nouns/tasks/agent-tool.server";
import { getTaskTool, updateTaskPlanTool, updateTaskStatusTool } from "~/nouns/tasks/tools.server";
import { workerHeartbeatTool } from "~/nouns/workers/tools.server";
import type { Offer } from "./endpoint.server";
import { instructions, workerInstructions } from "./instructions";
import { skillsExtension } from "./skills.server";
import { healthTool } from "./tools/health.server";

/** What an agent next to a person uses day by day: read, plan, log, ask, start work and see why it waits. */
const everydayTools = [
  listProductsTool,
  getContextTool,
  getSprintContextTool,
  getTaskTool,
  searchTool,
  createPbiTool,
  createStoryTool,
  createTaskTool,
  setLabelsTool,
  addCommentTool,
  listCommentsTool,
  addDependencyTool,
  listReadyTool,
  updateTaskStatusTool,
  updateTaskPlanTool,
  logImplementationTool,
  logTestResultTool,
  logCommitTool,
  askUserQuestionTool,
  getQuestionAnswerTool,
  listOpenQuestionsTool,
  startRunTool,
  getSprintRunTool,
  whyNotMovingTool,
];

/** `/mcp/all`: lists every tool. */
export const allTools: Offer = {
  audience: "/mcp/all",
  instructions,
  skills: skillsExtension,
  tools: [
    ...everydayTools,
    healthTool,
    createProductTool,
    listLabelsTool,
    createLabelTool,
    setAgentTool,
    removeDependencyTool,
    createSprintTool,
    addStoryToSprintTool,
    startSprintTool,
    cancelQuestionTool,
    startSprintRunTool,
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

/** `/mcp`: lists 24 tools, because each costs its readers tokens, and answers every tool when it is called. */
export const mainTools: Offer = { ...allTools, audience: "/mcp", listed: everydayTools };

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
