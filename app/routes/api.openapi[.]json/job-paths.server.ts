import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { agentJobDetailSchema } from "~/contract/agent-job";
import { conflictDecisionSchema, reportJobConflictBody } from "~/contract/job-conflict";
import { jobDiffSchema, saveJobDiffBody } from "~/contract/job-diff";
import { appendedOutputSchema, appendJobOutputBody, jobOutputSchema } from "~/contract/job-output";
import {
  addJobCommentBody,
  jobCommentSchema,
  jobCommentsSchema,
  reviewJobBody,
  sentReviewSchema,
} from "~/contract/job-review";
import { mergedJobSchema, reportMergedBody } from "~/contract/merged-job";
import { operation } from "./operation.server";

const page = z.object({
  attempt: z.int().min(1).optional(),
  after: z.int().min(0).optional(),
  limit: z.int().min(1).max(5_000).optional(),
});

/** Agent jobs: how they stand, and what their agents say. */
export const jobPaths: ZodOpenApiPathsObject = {
  "/api/jobs/{id}": {
    get: operation({
      id: "getJob",
      summary: "A job with its attempts and questions",
      security: "token or session",
      idParam: "id",
      answer: agentJobDetailSchema,
      errors: [401, 403, 404, 405, 500],
    }),
  },
  "/api/jobs/{id}/diff": {
    get: operation({
      id: "getJobDiff",
      summary: "What an attempt has changed; with Accept: text/x-diff as a patch for git apply",
      security: "token or session",
      idParam: "id",
      query: z.object({ attempt: z.int().min(1).optional() }),
      answer: jobDiffSchema,
      errors: [401, 403, 404, 405, 422, 500],
    }),
    put: operation({
      id: "saveJobDiff",
      summary: "Keeps what an attempt has changed, at most 2 MiB; a lost attempt is refused (409)",
      security: "token",
      idParam: "id",
      body: saveJobDiffBody,
      status: 204,
      answer: "nothing",
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
  },
  "/api/jobs/{id}/conflicts": {
    post: operation({
      id: "reportJobConflict",
      summary: "Work that does not merge: the answer says whether the job went back to the queue",
      security: "token",
      idParam: "id",
      body: reportJobConflictBody,
      answer: conflictDecisionSchema,
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
  },
  "/api/jobs/{id}/merged": {
    post: operation({
      id: "reportMerged",
      summary: "The main branch has the commit of a job; what waited for its code is freed",
      security: "token",
      idParam: "id",
      body: reportMergedBody,
      answer: mergedJobSchema,
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
  },
  "/api/jobs/{id}/comments": {
    get: operation({
      id: "listJobComments",
      summary: "Reviews and comments on lines; of drafts one's own",
      security: "token or session",
      idParam: "id",
      answer: jobCommentsSchema,
      errors: [401, 403, 404, 405, 500],
    }),
    post: operation({
      id: "addJobComment",
      summary: "Collects a comment on a line; it is sent with the next review",
      security: "token or session",
      idParam: "id",
      body: addJobCommentBody,
      status: 201,
      answer: jobCommentSchema,
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
  },
  "/api/jobs/{id}/comments/{commentId}": {
    delete: operation({
      id: "deleteJobComment",
      summary: "Takes a draft of one's own back",
      security: "token or session",
      idParam: "id",
      referenceParam: "commentId",
      status: 204,
      answer: "nothing",
      errors: [401, 403, 404, 405, 409, 500],
    }),
  },
  "/api/jobs/{id}/review": {
    post: operation({
      id: "reviewJob",
      summary: "Approves the work, or requests changes; sends all collected comments along",
      security: "token or session",
      idParam: "id",
      body: reviewJobBody,
      answer: sentReviewSchema,
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
  },
  "/api/jobs/{id}/output": {
    get: operation({
      id: "getJobOutput",
      summary: "What the agent of an attempt says and does, entry by entry",
      security: "token or session",
      idParam: "id",
      query: page,
      answer: jobOutputSchema,
      errors: [401, 403, 404, 405, 422, 500],
    }),
    post: operation({
      id: "appendJobOutput",
      summary: "Adds entries; a repeated seq is ignored, a lost attempt is refused (409)",
      security: "token",
      idParam: "id",
      body: appendJobOutputBody,
      status: 202,
      answer: appendedOutputSchema,
      errors: [400, 401, 403, 404, 405, 409, 413, 422, 429, 500],
    }),
  },
};
