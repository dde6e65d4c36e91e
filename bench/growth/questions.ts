import { claimAgentJob } from "~/nouns/agent-jobs/operations.server";
import { getInbox } from "~/nouns/inbox/operations.server";
import {
  getBacklogTree,
  getDashboard,
  getSprintBoard,
  getStoryPage,
  getTaskPage,
} from "~/nouns/pages/operations.server";
import { getAgentContext, getNextStory } from "~/nouns/products/operations.server";
import { search } from "~/nouns/search/operations.server";
import { listSprintTasks } from "~/nouns/sprints/operations.server";
import { updateTask } from "~/nouns/tasks/operations.server";
import { workerHeartbeat } from "~/nouns/workers/operations.server";
import { finish } from "../../tests/setup/world";
import type { Queue } from "../jobs/world";

/** One person of an installation: a product that they look at, and another with a run that their workers serve. */
export interface Team {
  reads: Queue;
  /** A task of the product that is looked at, and its story. */
  taskId: string;
  storyId: string;
}

export type Question = [name: string, ask: (team: Team, round: number) => Promise<unknown>];

/** What is asked most: by agents in a loop, by workers at every job, and by the pages that people keep open. */
export const questions: Question[] = [
  ["agent-context", ({ reads }) => getAgentContext.json(reads.actor, { product_id: productOf(reads) })],
  ["next-story", ({ reads }) => getNextStory.json(reads.actor, { product_id: productOf(reads) })],
  ["tasks of a sprint", ({ reads }) => listSprintTasks.json(reads.actor, { sprint_id: sprintOf(reads), limit: 50 })],
  [
    "change of a task",
    ({ reads, taskId }, round) =>
      updateTask.json(reads.actor, { task_id: taskId, status: round % 2 === 0 ? "in_progress" : "todo" }),
  ],
  ["claim and complete", ({ reads }) => claimAndComplete(reads)],
  ["heartbeat of a worker", ({ reads }) => workerHeartbeat.json(reads.actor, { worker: "growth", quota_pct: 90 })],
  ["board", ({ reads }) => getSprintBoard(reads.actor, { sprint_id: sprintOf(reads), with_start: false })],
  ["backlog", ({ reads }) => getBacklogTree(reads.actor, { product_id: productOf(reads) })],
  ["inbox", ({ reads }) => getInbox(reads.actor, { state: "open", kinds: [] })],
  ["task", ({ reads, taskId }) => getTaskPage(reads.actor, { task_id: taskId })],
  ["story", ({ reads, storyId }) => getStoryPage(reads.actor, { story_id: storyId })],
  ["dashboard", ({ reads }) => getDashboard(reads.actor)],
  ["search", ({ reads }) => search.json(reads.actor, { query: "story 1" })],
];

async function claimAndComplete({ actor }: Queue): Promise<void> {
  const { job } = await claimAgentJob(actor, { worker: "growth" });
  if (!job) throw new Error("no job was left to claim");
  await finish(actor, job);
}

const productOf = ({ productIds: [id = ""] }: Queue) => id;
const sprintOf = ({ sprintIds: [id = ""] }: Queue) => id;
