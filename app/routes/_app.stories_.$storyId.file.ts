import { json } from "@remix-run/node";
import { showOne } from "~/features/diff/show-diff.server";
import { personLoader } from "~/http/page-guards.server";
import { getStoryChanges } from "~/nouns/reviews/operations.server";
import { reviewOfStory } from "~/nouns/reviews/story-changes";
import { mostShown } from "~/wire/agent-jobs/job-diff";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

/** Lines of one file of a story's changes, for a page that already shows them. */
export const loader = personLoader(async ({ actor, principal, request, params }) => {
  const storyId = canonicalId(params.storyId);
  const { searchParams } = new URL(request.url);
  const { attempts } = await getStoryChanges(actor, { story_id: storyId, most: mostShown });
  const { changes } = reviewOfStory(attempts);
  const index = Number(searchParams.get("index") || Number.NaN);
  const found = changes.files[index];
  if (!found) throw new ContractError(404, "No such file.");
  const { parts: _parts, ...file } = found;
  return json(await showOne({ file, index }, principal.user_id), { headers: { "cache-control": "no-store" } });
});
