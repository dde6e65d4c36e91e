import { z } from "zod";

/** Statuses of REST bodies (specification: Conventions). */
export const taskStatuses = ["todo", "in_progress", "review", "done", "failed"] as const;
export const storyStatuses = ["open", "in_sprint", "done", "failed", "triage", "template"] as const;
export const pbiStatuses = ["ready", "blocked", "done", "failed"] as const;
export const sprintStatuses = ["planned", "active", "completed", "failed", "cancelled"] as const;
export const ideaStatuses = ["draft", "discussing", "ready", "planned"] as const;

export type TaskStatus = (typeof taskStatuses)[number];
export type StoryStatus = (typeof storyStatuses)[number];
export type PbiStatus = (typeof pbiStatuses)[number];
export type SprintStatus = (typeof sprintStatuses)[number];
export type IdeaStatus = (typeof ideaStatuses)[number];

export const taskStatusSchema = z.enum(taskStatuses);
export const storyStatusSchema = z.enum(storyStatuses);
export const pbiStatusSchema = z.enum(pbiStatuses);
export const sprintStatusSchema = z.enum(sprintStatuses);
export const ideaStatusSchema = z.enum(ideaStatuses);

/** REST statuses to the form of the database and the streams. The type makes it exhaustive. */
export const toDatabaseStatus = {
  task: {
    todo: "TO_DO",
    in_progress: "IN_PROGRESS",
    review: "REVIEW",
    done: "DONE",
    failed: "FAILED",
  },
  story: {
    open: "OPEN",
    in_sprint: "IN_SPRINT",
    done: "DONE",
    failed: "FAILED",
    triage: "TRIAGE",
    template: "TEMPLATE",
  },
  pbi: { ready: "READY", blocked: "BLOCKED", done: "DONE", failed: "FAILED" },
  sprint: {
    planned: "PLANNED",
    active: "ACTIVE",
    completed: "COMPLETED",
    failed: "FAILED",
    cancelled: "CANCELLED",
  },
  idea: { draft: "DRAFT", discussing: "DISCUSSING", ready: "READY", planned: "PLANNED" },
} as const satisfies {
  task: Record<TaskStatus, string>;
  story: Record<StoryStatus, string>;
  pbi: Record<PbiStatus, string>;
  sprint: Record<SprintStatus, string>;
  idea: Record<IdeaStatus, string>;
};

export type DatabaseTaskStatus = (typeof toDatabaseStatus.task)[TaskStatus];
export type DatabaseStoryStatus = (typeof toDatabaseStatus.story)[StoryStatus];
export type DatabasePbiStatus = (typeof toDatabaseStatus.pbi)[PbiStatus];
export type DatabaseSprintStatus = (typeof toDatabaseStatus.sprint)[SprintStatus];
export type DatabaseIdeaStatus = (typeof toDatabaseStatus.idea)[IdeaStatus];

/** Statuses of the database and the streams to REST. The type makes it exhaustive. */
export const toRestStatus = {
  task: {
    TO_DO: "todo",
    IN_PROGRESS: "in_progress",
    REVIEW: "review",
    DONE: "done",
    FAILED: "failed",
  },
  story: {
    OPEN: "open",
    IN_SPRINT: "in_sprint",
    DONE: "done",
    FAILED: "failed",
    TRIAGE: "triage",
    TEMPLATE: "template",
  },
  pbi: { READY: "ready", BLOCKED: "blocked", DONE: "done", FAILED: "failed" },
  sprint: {
    PLANNED: "planned",
    ACTIVE: "active",
    COMPLETED: "completed",
    FAILED: "failed",
    CANCELLED: "cancelled",
  },
  idea: { DRAFT: "draft", DISCUSSING: "discussing", READY: "ready", PLANNED: "planned" },
} as const satisfies {
  task: Record<DatabaseTaskStatus, TaskStatus>;
  story: Record<DatabaseStoryStatus, StoryStatus>;
  pbi: Record<DatabasePbiStatus, PbiStatus>;
  sprint: Record<DatabaseSprintStatus, SprintStatus>;
  idea: Record<DatabaseIdeaStatus, IdeaStatus>;
};
