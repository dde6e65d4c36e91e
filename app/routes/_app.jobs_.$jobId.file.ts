import { createHash } from "node:crypto";
import { json } from "@remix-run/node";
import { z } from "zod";
import { comparedWith, sinceIn } from "~/features/diff/compared-with.server";
import { showFile } from "~/features/diff/show-diff.server";
import { madeInThread } from "~/features/diff/show-lines.server";
import { fileAnswer } from "~/http/files.server";
import { personLoader } from "~/http/page-guards.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { type pictureIn, pictureSides } from "~/nouns/agent-jobs/patch-pictures";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import { attemptInQuery } from "~/wire/text";

const querySchema = z.object({
  attempt: attemptInQuery,
  index: z.coerce.number().int().min(0),
  picture: z.enum(pictureSides).optional(),
});

const noFile = "This file is not in these changes. They may have been replaced: reload the page.";

/** Lines of one file of a diff, for a page that already shows the diff; or a side of it as a picture. */
export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const { searchParams } = new URL(request.url);
  const query = querySchema.safeParse(Object.fromEntries(searchParams));
  if (!query.success) throw new ContractError(404, noFile);
  const { attempt, index, picture: side } = query.data;
  const jobId = canonicalId(params.jobId);
  const since = side ? undefined : sinceIn(searchParams);
  const only = since === undefined ? { index } : {};
  const diff = await getJobDiff(actor, { job_id: jobId, attempt, ...only });
  if (side) {
    const { path = "", patch = "" } = diff?.files[0] ?? {};
    const made = await madeInThread({ patch, side }, principal.user_id);
    const picture: ReturnType<typeof pictureIn> = JSON.parse(made);
    if (picture === null) throw new ContractError(404, noFile);
    const id = createHash("sha256").update(made).digest("base64url");
    const content = Buffer.from(picture.content, "base64");
    return fileAnswer(request, id, async (from, length) => ({
      ...picture,
      name: path.slice(path.lastIndexOf("/") + 1),
      content: content.subarray(from, from + length).toString("base64"),
    }));
  }
  const before = diff && (await comparedWith(actor, diff, since));
  const position = since === undefined ? 0 : index;
  const file = diff && (await showFile(diff, position, { viewer: principal.user_id, before }));
  if (!file) throw new ContractError(404, noFile);
  return json(file, { headers: { "cache-control": "no-store" } });
});
