import { z } from "zod";
import { answeredViaSchema } from "../chats/contract";
import { attemptSchema, cursorSchema, hostSchema, idSchema, integerSchema, requiredText, text } from "../text";

export const agentQuestionStatuses = ["open", "answered", "cancelled", "expired"] as const;
export const userQuestionStatuses = ["pending", "answered"] as const;
/** `permission`: may an agent do something on a person's machine? Only that person reads and answers it. */
export const questionKinds = ["question", "permission"] as const;
export const questionSubjects = [...questionKinds, "plan", "conflict", "pause", "failure"] as const;
export type QuestionKind = (typeof questionKinds)[number];
export const expiryPolicies = ["STOP", "RECOMMENDED", "ESCALATE"] as const;

/** Limits of a question (specification: Agent question). */
export const questionLimits = {
  text: 4_000,
  options: 8,
  optionLabel: 200,
  optionDescription: 1_000,
  minExpirySeconds: 60,
  maxExpirySeconds: 2_592_000,
} as const;

export const questionOptionSchema = z.object({ label: z.string(), description: z.string().optional() });

/** An agent question (specification: Agent question). `effective_answer` includes an option chosen by policy. */
export const agentQuestionSchema = z.object({
  id: z.string(),
  product_id: z.string(),
  product_code: z.string(),
  product_name: z.string(),
  story_id: z.string().nullable(),
  story_code: z.string().nullable(),
  story_title: z.string().nullable(),
  idea_id: z.string().nullable(),
  idea_code: z.string().nullable(),
  task_id: z.string().nullable(),
  task_code: z.string().nullable(),
  task_title: z.string().nullable().default(null),
  assignee_id: z.string().nullable(),
  assignee_name: z.string().nullable(),
  job_id: z.string().nullable(),
  sprint_run_id: z.string().nullable(),
  asked_by: z.string().nullable(),
  asked_by_name: z.string().nullable(),
  kind: z.enum(questionKinds).default("question"),
  /** The only person who may read and answer it; null: every member. */
  reader_id: z.string().nullable().default(null),
  reader_name: z.string().nullable().default(null),
  /** A permission's reader has left or is now a viewer. No one can answer it; the product's owner may dismiss it. */
  reader_left: z.boolean().default(false),
  /** What it is about; a conflict and a pause hold a run, a failure its task. */
  asks: z.enum(questionSubjects).default("question"),
  /** It is about a paused run, which only one of its options moves. */
  needs_option: z.boolean().default(false),
  /** Host that a permission asks for. */
  reach: z.string().nullable().default(null),
  status: z.enum(agentQuestionStatuses),
  /** A plan that waits for a person: approved or sent back with `review_plan`, not with an answer. */
  plan: z.string().nullable().default(null),
  question: z.string(),
  options: z.array(questionOptionSchema),
  recommended_option: z.int().nullable(),
  answer: z.string().nullable(),
  answered_by: z.string().nullable(),
  answered_by_name: z.string().nullable(),
  answered_at: z.string().nullable(),
  /** Where a person answered; null for answers from before it was kept. */
  answered_via: answeredViaSchema.nullable().default(null),
  effective_answer: z.string().nullable(),
  taken_by_policy: z.boolean(),
  expires_at: z.string(),
  on_expiry: z.enum(expiryPolicies),
  escalate_to: z.string().nullable(),
  park: z.boolean(),
  created_at: z.string(),
  updated_at: z.string(),
});
export type AgentQuestion = z.infer<typeof agentQuestionSchema>;

export const agentQuestionPageSchema = z.object({
  questions: z.array(agentQuestionSchema),
  next_cursor: z.string().nullable(),
});

/** First state of the notifications stream (specification: Notifications stream). */
export const notificationsStateSchema = z.object({ questions: z.array(agentQuestionSchema) });

const optionInput = z.union([
  requiredText(questionLimits.optionLabel),
  z.object({
    label: requiredText(questionLimits.optionLabel),
    description: text(questionLimits.optionDescription).optional(),
  }),
]);

/** One of story and idea; a task implies its story. `park` frees the worker; a permission goes to the caller's user. */
export const askQuestionInput = z.object({
  question: requiredText(questionLimits.text),
  story_id: idSchema.optional(),
  idea_id: idSchema.optional(),
  task_id: idSchema.optional(),
  kind: z.enum(questionKinds).optional(),
  reach: hostSchema.optional(),
  options: z.array(optionInput).max(questionLimits.options).optional(),
  recommended_option: integerSchema.min(0).optional(),
  assignee_id: idSchema.optional(),
  expires_in_seconds: z.int().min(questionLimits.minExpirySeconds).max(questionLimits.maxExpirySeconds).optional(),
  on_expiry: z.enum(expiryPolicies).optional(),
  escalate_to: idSchema.optional(),
  park: z.boolean().optional(),
  job_id: idSchema.optional(),
  attempt: attemptSchema.optional(),
});
export type AskQuestionInput = z.infer<typeof askQuestionInput>;

export const questionIdInput = z.object({ question_id: idSchema });

export const answerQuestionInput = z.object({
  question_id: idSchema,
  answer: text(questionLimits.text).optional(),
  option: integerSchema.min(0).optional(),
});

export const listQuestionsInput = z.object({
  product_id: idSchema.optional(),
  state: z.enum(agentQuestionStatuses).optional(),
  job_id: idSchema.optional(),
  limit: z.int().min(1).max(200).optional(),
  cursor: cursorSchema.optional(),
});

/** A question that a user asks about an idea (specification: User question). */
export const userQuestionSchema = z.object({
  id: z.string(),
  idea_id: z.string(),
  idea_code: z.string(),
  idea_title: z.string(),
  product_id: z.string(),
  user_id: z.string(),
  question: z.string(),
  answer: z.string().nullable(),
  status: z.enum(userQuestionStatuses),
  job_id: z.string().nullable(),
  job_status: z.string().nullable(),
  job_failure_reason: z.string().nullable(),
  answered_at: z.string().nullable(),
  created_at: z.string(),
});
export type UserQuestion = z.infer<typeof userQuestionSchema>;

export const askAboutIdeaInput = z.object({ idea_id: idSchema, question: requiredText(questionLimits.text) });

export const answerUserQuestionInput = z.object({ user_question_id: idSchema, answer: requiredText(20_000) });

export const listOpenUserQuestionsInput = z.object({
  product_id: idSchema.optional(),
  limit: z.int().min(1).max(100).optional(),
  cursor: cursorSchema.optional(),
});

export const userQuestionListSchema = z.object({
  user_questions: z.array(userQuestionSchema),
  next_cursor: z.string().nullable(),
});

export const ideaConversationSchema = z.object({
  user_questions: z.array(userQuestionSchema),
  agent_questions: z.array(agentQuestionSchema),
});
