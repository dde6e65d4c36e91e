import { type ActionFunctionArgs, json } from "@remix-run/node";
import { z } from "zod";
import type { Actor } from "~/db/rpc.server";
import { madeInThread } from "~/features/diff/show-lines.server";
import { done, readForm, runIntent, runOperation } from "~/http/form-action.server";
import type { SignedIn } from "~/http/page-guards.server";
import { addJobComment } from "~/nouns/reviews/job-comments.server";
import {
  deleteJobComment,
  getReviewPlace,
  getStoryChanges,
  markViewed,
  reviewJob,
  reviewStory,
  undoReview,
} from "~/nouns/reviews/operations.server";
import { reviewAddress } from "~/nouns/reviews/review-page";
import type { placeOfLine } from "~/nouns/reviews/story-lines";
import { enhancedField } from "~/ui/form-fields";
import { codeAndTitle } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import type { WayBack } from "~/ui/toast";
import { jobIdInput } from "~/wire/agent-jobs/contract";
import { mostShown } from "~/wire/agent-jobs/job-diff";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import {
  addJobCommentBody,
  jobCommentIdInput,
  markViewedInput,
  reviewJobBody,
  reviewStoryBody,
} from "~/wire/reviews/contract";
import { ignored } from "./read-review.server";

/** What can be done on the page of a review. */
export function judge({ actor, principal, form, request, params }: ActionFunctionArgs & SignedIn & { form: FormData }) {
  const { pathname, search } = new URL(request.url);
  const back = `${pathname}${search}`;
  const story_id = canonicalId(params.storyId);
  return runIntent(form, {
    "add-comment": async () => {
      const { comment_id, job_id, ...comment } = readForm(form, commentForm);
      await addComment(actor, principal.user_id, story_id, comment);
      // A draft that is gone by now has nothing to take the place of.
      if (comment_id && job_id) await deleteJobComment(actor, { job_id, comment_id }).catch(ignored);
      return done(form, back, comment_id ? "Comment changed" : "Comment added to the review");
    },
    "delete-comment": () => runOperation(actor, form, deleteJobComment, back, "Comment deleted"),
    viewed: async () => {
      await markAll(actor, form);
      return done(form, back);
    },
    review: async () => {
      const attempts = readAttempts(form.getAll("attempt"));
      const isOfPage = form.has("attempt") || params.jobId === undefined;
      const chosen = isOfPage ? attempts?.map(({ job_id }) => job_id) : [canonicalId(params.jobId)];
      const [job_id, other] = chosen ?? [];
      if (!chosen || !job_id) return json({ error: "Choose at least one task to judge." }, 422);
      const [verdict = "", goesOn] = String(form.get("verdict")).split("_and_next");
      form.set("verdict", verdict);
      const given = {
        ...readForm(form, verdictForm),
        // The page names its attempts; other forms confirm everything there is.
        criteria: isOfPage ? form.getAll("criterion").map(String) : undefined,
        // Without script no message offers to undo it.
        undo_seconds: form.has(enhancedField) ? undoSeconds : 0,
      };
      const ticked = form.getAll("confirm").map(String);
      const { next } = goesOn === undefined ? { next: null } : await getReviewPlace(actor, { job_ids: chosen });
      let what = countText(chosen.length, "task");
      if (attempts && other !== undefined) {
        const confirm = Object.fromEntries(chosen.map((id) => [id, ticked]));
        await reviewStory(actor, { ...given, story_id, attempts, confirm });
      } else {
        const attempt = attempts?.[0]?.attempt;
        const { job } = await reviewJob(actor, { ...given, job_id, attempt, confirm: ticked });
        const { task_code: code, task_title: title } = job;
        what = code === null ? "the batch" : codeAndTitle({ code, title: beginningOf(title ?? "") });
      }
      const message = given.verdict === "approve" ? `Approved ${what}` : `Changes requested: ${what}`;
      const undo: WayBack = { action: back, fields: { intent: "undo-review", job_id }, seconds: undoSeconds };
      const leadsTo = next === null ? "/inbox?show=reviews" : reviewAddress(next);
      return done(
        form,
        goesOn === undefined ? back : leadsTo,
        message,
        goesOn === undefined ? { back: undo } : { back: undo, leadsTo },
      );
    },
    "undo-review": async () => {
      await undoReview(actor, readForm(form, jobIdInput));
      return done(form, back, "Undone: the work waits for your verdict again.", { leadsTo: back });
    },
  });
}

const undoSeconds = 10;

/** Codes of several products are the same: the title says which one it was. */
const beginningOf = (title: string) => (title.length > 40 ? `${title.slice(0, 39).trimEnd()}…` : title);

const verdictForm = reviewJobBody.pick({ verdict: true, summary: true });

const marksSchema = z
  .array(markViewedInput.omit({ viewed: true }))
  .min(1)
  .max(200);

async function markAll(actor: Actor, form: FormData): Promise<void> {
  const marks = marksSchema.safeParse(form.getAll("mark").map(parsed));
  if (!marks.success) throw new ContractError(422, "Nothing to mark was sent. Reload the page.");
  const viewed = form.get("viewed") === "true";
  for (const mark of marks.data) await markViewed(actor, { ...mark, viewed });
}

function parsed(entry: FormDataEntryValue): unknown {
  try {
    return JSON.parse(String(entry));
  } catch {
    return null;
  }
}

/** Attempts as forms name them: job and attempt. Null where it is none, or not a name. */
function readAttempts(names: readonly unknown[]) {
  const sent = names.map((name) => {
    const [job_id, attempt] = String(name).split(" ");
    return { job_id, attempt: Number(attempt) };
  });
  return reviewStoryBody.shape.attempts.safeParse(sent).data ?? null;
}

/** A comment on a line of the page: `of` names the attempts that it showed, `index` the place of the file there. */
const commentForm = addJobCommentBody
  .omit({ attempt: true })
  .extend({ ...jobCommentIdInput.partial().shape, index: z.int().min(0), of: z.string() });

/** The line is that of the page as it was shown, even if some of it has been judged since. */
async function addComment(
  actor: Actor,
  viewer: string,
  story_id: string,
  { of, index, path, side, line, body }: Omit<z.infer<typeof commentForm>, "job_id" | "comment_id">,
): Promise<void> {
  const shown = readAttempts(of.split(",")) ?? [];
  const [one, other] = shown;
  if (one && !other) {
    await addJobComment(actor, { ...one, path, line, side, body });
    return;
  }
  const story = await getStoryChanges.json(actor, { story_id, most: mostShown });
  const question = { story, line: { shown, index, path, side, line } };
  const found: ReturnType<typeof placeOfLine> = JSON.parse(await madeInThread(question, viewer));
  if (found === "out-of-date")
    throw new ContractError(409, "These changes are out of date. Copy your text and reload the page.");
  const elsewhere = "Choose another line, or write it in the note.";
  if (found === "not-shown")
    throw new ContractError(422, `No change that waits for your verdict shows this line. ${elsewhere}`);
  const { judged, ...place } = found;
  if (judged !== null)
    throw new ContractError(
      409,
      `${judged} was judged while you wrote. Copy your text if someone should still read it.`,
    );
  await addJobComment(actor, { ...place, side, body });
}
