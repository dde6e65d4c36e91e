import { json } from "@remix-run/node";
import { done, runIntent } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { getPreview, stopPreview } from "~/nouns/previews/operations.server";
import { beginPreview } from "~/previews/previews.server";
import { canonicalId } from "~/wire/canonical-id";

export const loader = personLoader(async ({ actor, context, params }) => {
  const offer = await getPreview(actor, { job_id: canonicalId(params.jobId) });
  const may_start = offer.may_start && context.services.env.previewOrigin !== null;
  return json({ ...offer, may_start }, { headers: { "cache-control": "no-store" } });
});

export const action = writeAction(async ({ actor, context, form, params }) => {
  const job_id = canonicalId(params.jobId);
  const page = `/jobs/${job_id}`;
  return runIntent(form, {
    start: async () => {
      await beginPreview(context.services, actor, job_id);
      return done(form, page, "The application is being started");
    },
    stop: async () => {
      await stopPreview(actor, { job_id });
      return done(form, page, "The preview is stopped");
    },
  });
});
