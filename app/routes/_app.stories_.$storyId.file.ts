import { json } from "@remix-run/node";
import { showOne } from "~/features/diff/show-diff.server";
import { madeInThread } from "~/features/diff/show-lines.server";
import { personLoader } from "~/http/page-guards.server";
import { getStoryChanges } from "~/nouns/reviews/operations.server";
import type { StoryFile } from "~/nouns/reviews/story-changes";
import { mostShown } from "~/wire/agent-jobs/job-diff";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

/** Lines of one file of a story's changes, for a page that already shows them. */
export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const storyId = canonicalId(params.storyId);
  const { searchParams } = new URL(request.url);
  const story = await getStoryChanges.json(actor, { story_id: storyId, most: mostShown });
  const index = Number(searchParams.get("index") || Number.NaN);
  const found: StoryFile | null = JSON.parse(await madeInThread({ story, index }, principal.user_id));
  if (!found) throw new ContractError(404, "No such file.");
  const { parts: _parts, ...file } = found;
  return json(await showOne({ file, index }, principal.user_id), { headers: { "cache-control": "no-store" } });
});
