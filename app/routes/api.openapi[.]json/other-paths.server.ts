import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { healthQuery, healthSchema } from "~/contract/health";
import { pairingClaimSchema, startedPairingSchema } from "~/contract/pairing";
import { cleanedArtifactsSchema, expiredQuestionsSchema } from "~/contract/schedule";
import { operation } from "./operation.server";

/** Health, login by pairing and the scheduled endpoints (specification: Endpoints). */
export const otherPaths: ZodOpenApiPathsObject = {
  "/api/health": {
    get: operation({
      id: "getHealth",
      summary: "Liveness; with db=1 the state of the database too",
      security: "none",
      query: healthQuery,
      answer: healthSchema,
      errors: [405],
    }),
  },
  "/api/openapi.json": {
    get: operation({
      id: "getOpenApi",
      summary: "This document",
      security: "none",
      answer: z.looseObject({ openapi: z.string() }),
      errors: [405],
    }),
  },
  "/api/auth/pair/start": {
    post: operation({
      id: "startPairing",
      summary: "Begin a login by QR code; sets the cookie app_pair",
      security: "none",
      answer: startedPairingSchema,
      errors: [403, 405, 429, 500],
    }),
  },
  "/api/auth/pair/claim": {
    post: operation({
      id: "claimPairing",
      summary: "Turn an approved pairing into a session",
      security: "pairing",
      body: pairingClaimSchema,
      answer: z.object({ ok: z.literal(true) }),
      errors: [400, 401, 403, 405, 409, 410, 413, 500],
    }),
  },
  "/api/cron/expire-questions": {
    post: operation({
      id: "expireQuestions",
      summary: "Expire open questions and pending pairings that are past their time",
      security: "schedule",
      answer: expiredQuestionsSchema,
      errors: [401, 405, 500],
    }),
  },
  "/api/cron/cleanup-agent-artifacts": {
    post: operation({
      id: "cleanupAgentArtifacts",
      summary: "Delete failed and cancelled jobs that ended more than 7 days ago",
      security: "schedule",
      answer: cleanedArtifactsSchema,
      errors: [401, 405, 500],
    }),
  },
};
