import { z } from "zod";
import type { ZodOpenApiPathsObject } from "zod-openapi";
import { idSchema } from "~/contract/text";
import { operation } from "./operation.server";

const ofProduct = z.object({ product_id: idSchema });
const productErrors = [400, 401, 403, 404, 405, 429, 500, 503] as const;

/** Server-sent events (specification: Events). */
export const streamPaths: ZodOpenApiPathsObject = {
  "/api/realtime/solo": {
    get: operation({
      id: "streamSolo",
      summary: "Changes of the caller's tasks and stories in the active sprint, jobs and workers",
      security: "token or session",
      query: ofProduct,
      answer: "stream",
      errors: productErrors,
    }),
  },
  "/api/realtime/backlog": {
    get: operation({
      id: "streamBacklog",
      summary: "Changes of PBIs, stories and tasks of a product",
      security: "token or session",
      query: ofProduct,
      answer: "stream",
      errors: productErrors,
    }),
  },
  "/api/realtime/job": {
    get: operation({
      id: "streamJob",
      summary: "Changes of one job, its attempts, and what its agent says",
      security: "token or session",
      query: z.object({ job_id: idSchema }),
      answer: "stream",
      errors: productErrors,
    }),
  },
  "/api/realtime/notifications": {
    get: operation({
      id: "streamNotifications",
      summary: "Changes of questions in every product of the caller",
      security: "session",
      answer: "stream",
      errors: [401, 403, 405, 429, 500, 503],
    }),
  },
  "/api/auth/pair/stream/{pairingId}": {
    get: operation({
      id: "streamPairing",
      summary: "Status of a login pairing",
      security: "pairing",
      idParam: "pairingId",
      answer: "stream",
      errors: [401, 404, 405, 410, 429, 500, 503],
    }),
  },
};
