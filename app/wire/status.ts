import { z } from "zod";

/** Statuses of REST bodies (specification: Conventions). */
export const taskStatuses = ["todo", "in_progress", "review", "done", "failed"] as const;
export const storyStatuses = ["open", "in_sprint", "done", "failed", "triage", "template"] as const;
export const pbiStatuses = ["ready", "blocked", "done", "failed"] as const;
export const sprintStatuses = ["planned", "active", "completed", "failed", "cancelled"] as const;
export const ideaStatuses = ["draft", "discussing", "ready", "planned"] as const;

export type TaskStatus = (typeof taskStatuses)[number];

export const taskStatusSchema = z.enum(taskStatuses);
export const storyStatusSchema = z.enum(storyStatuses);
export const pbiStatusSchema = z.enum(pbiStatuses);
export const sprintStatusSchema = z.enum(sprintStatuses);
export const ideaStatusSchema = z.enum(ideaStatuses);
