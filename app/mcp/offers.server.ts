import type { Offer } from "./endpoint.server";
import { instructions, workerInstructions } from "./instructions";
import {
  createPbiTool,
  createStoryTool,
  createTaskTool,
  markPbiPrMergedTool,
  setPbiPrTool,
} from "./tools/backlog.server";
import { healthTool } from "./tools/health.server";
import { createIdeaTool, promoteIdeaTool, updateIdeaTool } from "./tools/ideas.server";
import { createProductTool, getContextTool, listProductsTool } from "./tools/products.server";
import { searchTool } from "./tools/search.server";
import {
  addStoryToSprintTool,
  createSprintTool,
  getSprintContextTool,
  startSprintTool,
} from "./tools/sprints.server";
import { logCommitTool, logImplementationTool, logTestResultTool } from "./tools/story-log.server";
import { getTaskTool, updateTaskPlanTool, updateTaskStatusTool } from "./tools/tasks.server";

/** `/mcp`: every tool. */
export const allTools: Offer = {
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
    createSprintTool,
    addStoryToSprintTool,
    startSprintTool,
    updateTaskStatusTool,
    updateTaskPlanTool,
    logImplementationTool,
    logTestResultTool,
    logCommitTool,
    setPbiPrTool,
    markPbiPrMergedTool,
    createIdeaTool,
    updateIdeaTool,
    promoteIdeaTool,
  ],
};

/** `/mcp/worker`: what the loop of a worker needs and nothing more. */
export const workerTools: Offer = {
  instructions: workerInstructions,
  tools: [getTaskTool, logImplementationTool, logTestResultTool, logCommitTool],
};
