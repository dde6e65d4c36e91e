import { z } from "zod";
import { operation, serviceOperation } from "~/nouns/operation.server";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import * as wire from "~/wire/previews/contract";

/** Starts the preview of a job, or returns the one that runs. */
export const startPreview = operation("start_preview", jobIdInput, wire.previewAnswerSchema);

/** The newest preview of a job, and whether the caller may start one. */
export const getPreview = operation("get_preview", jobIdInput, wire.previewOfferSchema);

export const stopPreview = operation("stop_preview", jobIdInput, z.object({ stopped: z.boolean() }));

/** Previews as a worker has them; returns those it should have. */
export const syncPreviews = operation(
  "sync_previews",
  wire.syncPreviewsBody.omit({ wait_seconds: true }),
  wire.wantedPreviewsSchema,
);

const stateSchema = z.enum(wire.previewStates);

/** Stores the hash of a ticket to a preview, for the caller's session. */
export const openPreview = operation(
  "open_preview",
  z.object({ preview_id: z.string(), ticket_hash: z.string() }),
  z.object({ job_id: z.string(), state: stateSchema }),
);

/** Redeems a ticket once. Null for a ticket that is used, late, or of another preview. */
export const enterPreview = serviceOperation(
  "enter_preview",
  z.object({ preview_id: z.string(), ticket_hash: z.string() }),
  z.object({ entered: z.object({ user_id: z.string(), session_id: z.string() }).nullable() }),
);

/** Whether who entered may still see the preview, and whose worker runs it. Null for an unknown one. */
export const getPreviewAccess = serviceOperation(
  "get_preview_access",
  z.object({ preview_id: z.string(), user_id: z.string(), session_id: z.string() }),
  z.object({
    access: z
      .object({
        may_see: z.boolean(),
        state: stateSchema,
        job_id: z.string(),
        worker: z.object({ user_id: z.string(), name: z.string() }).nullable(),
      })
      .nullable(),
  }),
);

/** Lets a worker carry the bytes of a preview that it runs; 404 for any other. */
export const carryPreview = operation(
  "carry_preview",
  z.object({ preview_id: z.string() }),
  z.object({ id: z.string() }),
);
