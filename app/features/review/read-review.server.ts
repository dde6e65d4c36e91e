import { json, type LoaderFunctionArgs, redirect } from "@remix-run/node";
import type { Actor } from "~/db/rpc.server";
import { onlyFiles, sinceIn } from "~/features/diff/compared-with.server";
import { guideOf } from "~/features/diff/read-guide.server";
import { changedFiles, type RoundFile, showFiles, sizeOf } from "~/features/diff/show-diff.server";
import { madeInThread } from "~/features/diff/show-lines.server";
import { filesOfPage, type Mark, numberIn, pageOfFiles } from "~/features/diff/shown-diff";
import { readJobData } from "~/features/jobs/job-data.server";
import type { SignedIn } from "~/http/page-guards.server";
import { getJobDiff } from "~/nouns/agent-jobs/operations.server";
import { getReviewPage, noteFirstLook } from "~/nouns/reviews/operations.server";
import { type ReviewPage, reviewAddress } from "~/nouns/reviews/review-page";
import type { shownReview } from "~/nouns/reviews/story-lines";
import { mostShown } from "~/wire/agent-jobs/job-diff";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";
import type { StoredComment } from "~/wire/reviews/contract";
import { placeComments } from "./list-comments.server";
import { shownChapters, taskChapters } from "./shown-chapters";

/** Of a story, one of its tasks (`?task=`, `&job=` an older attempt), or a job of no one story; others redirect. */
export async function readReview({ actor, principal, request, context, params }: LoaderFunctionArgs & SignedIn) {
  const { searchParams } = new URL(request.url);
  const idOf = (text: string | undefined | null) => (text == null ? undefined : canonicalId(text));
  const page = await getReviewPage(actor, {
    story_id: idOf(params.storyId),
    task_id: idOf(searchParams.get("task")),
    job_id: idOf(params.jobId ?? searchParams.get("job")),
    attempt: numberIn(searchParams, "attempt"),
    since: sinceIn(searchParams),
    most: mostShown,
  });
  if (page.leads_to !== null) return redirect(reviewAddress(page.leads_to, searchParams));
  const { one, unjudged, parts } = page;
  if (isLook(request)) {
    for (const { job, is_unseen } of parts)
      if (is_unseen) await noteFirstLook(actor, { job_id: job.id }).catch(ignored);
  }
  const viewer = principal.user_id;
  const said = parts.flatMap((each) => each.said.comments);
  const review = await (one === null ? ofStory(page, said, viewer) : ofAttempt(one, said, viewer));
  const { changed, chapters, marked, before, comments } = review;
  const shown = pageOfFiles(chapters, numberIn(searchParams, "files"));
  const files = filesOfPage<RoundFile>(changed, shown.chapters);
  const open = numberIn(searchParams, "open");
  const indices = new Map(changed.map(({ file: { path }, index }) => [path, index]));
  const seen = new Set(page.viewed.map(({ job_id, path }) => `${job_id} ${path}`));
  const isSeen = ({ job_id, path }: Mark) => seen.has(`${job_id} ${path}`);
  return json({
    story: page.story,
    product: page.product,
    unjudged,
    open_tasks: page.open_tasks,
    header: page.of && readJobData(page.of, context.services.env.appOrigin),
    of: one ? `${one.job_id} ${one.diff?.attempt}` : unjudged.map(nameOf).join(),
    attempts: one?.diff ? { all: one.diff.attempts, shown: one.diff.attempt } : null,
    since: before && { attempt: before.attempt, isLook: one?.since === "looked" },
    criteria: page.proofs.flatMap((proof) => proof.criteria),
    jobs: parts.map(({ job }) => job),
    says: (page.attempts ?? []).map(({ job_id, marked, chapters }) => ({ job_id, marked, chapters })),
    marked,
    size: parts.length === 0 || one?.diff === null ? null : sizeOf(changed),
    ...shown,
    files: await showFiles(await readOpen(actor, review, files, open), viewer, open),
    unnamed: unjudged.filter(({ job_id }) => review.rest.some((each) => each.path === null && each.job_id === job_id)),
    about: Object.fromEntries(
      files.map(({ index }) => [index, { address: addressOf(page, review, index), marks: review.marks[index] ?? [] }]),
    ),
    viewed: changed.flatMap(({ index }) => {
      const marks = review.marks[index] ?? [];
      return marks.length > 0 && marks.every(isSeen) ? [index] : [];
    }),
    // Of an attempt that is compared only some files are there.
    comments: comments.map((each) => (one ? { ...each, index: indices.get(each.path) ?? null } : each)),
    reviews: parts.flatMap(({ said }) => said.reviews).sort((a, b) => a.created_at.localeCompare(b.created_at)),
    sameFiles: page.same_files,
    queue: {
      ...page.queue,
      next: page.queue.next && reviewAddress(page.queue.next),
      before: page.queue.before && reviewAddress(page.queue.before),
    },
  });
}

const nameOf = ({ job_id, attempt }: { job_id: string; attempt: number }) => `${job_id} ${attempt}`;

/** A browser that asks for the headers only, or loads the page before anyone opens it, does not look. */
const isLook = ({ method, headers }: Request) =>
  method === "GET" && !headers.get("sec-purpose")?.startsWith("prefetch");

/** Anyone who may not judge looks without a trace. */
export function ignored(error: unknown): void {
  if (!(error instanceof ContractError)) throw error;
}

/** What a page shows of either: the files with the attempts that changed them, and where one alone is read again. */
type Shown = Pick<ReturnType<typeof shownReview>, "rest" | "sources" | "comments"> & { marks: Mark[][] };

/** All that no one has judged of a story, in a chapter for each task. */
async function ofStory({ attempts, unjudged }: ReviewPage, said: StoredComment[], viewer: string) {
  const known = attempts ?? [];
  const made = await madeInThread({ review: { attempts: known, comments: said } }, viewer);
  const { files, tasks: shown, ...review }: ReturnType<typeof shownReview> = JSON.parse(made);
  const tasks = shown.flatMap(({ job_id }) => known.find((each) => each.job_id === job_id)?.task ?? []);
  const parts = files.map((file) => file.parts);
  const open = new Set(unjudged.map(({ id }) => id));
  return {
    ...review,
    marks: parts.map((ofFile) => ofFile.map(({ job_id, attempt, path }) => ({ job_id, attempt, path }))),
    changed: files.map(({ parts: _parts, ...file }, index) => ({ file, index })),
    chapters: taskChapters(tasks, parts, open),
    marked: known
      .filter(({ job_id }) => unjudged.some((each) => each.job_id === job_id))
      .flatMap((each) => each.marked),
    before: null,
  };
}

/** One attempt in the order in which its agent explains it, or what changed since an earlier one. */
async function ofAttempt(
  { diff, guide, before: earlier, seen, marked }: NonNullable<ReviewPage["one"]>,
  said: StoredComment[],
  viewer: string,
) {
  const { job_id = "", attempt = 0, files = [] } = diff ?? {};
  const review: Shown = {
    rest: [],
    sources: files.map((_, index) => ({ job_id, attempt, index })),
    marks: files.map(({ path }) => [{ job_id, attempt, path }]),
    comments: await placeComments(diff, said, viewer),
  };
  if (diff === null) return { ...review, changed: [], chapters: [], marked, before: null };
  const before = earlier && seen ? onlyFiles(earlier, seen) : earlier;
  const changed = await changedFiles(diff, { viewer, before });
  const named = changed.map(({ file: { path }, index }) => ({ path, index }));
  const chapters = shownChapters(await guideOf(diff, guide, viewer), named, before !== null, marked);
  return { ...review, changed, chapters, marked, before };
}

/** The files of a page; `open` is the place of one to read although it is beyond the bound. */
function readOpen(actor: Actor, { sources }: Shown, shown: readonly RoundFile[], open: number | undefined) {
  return Promise.all(
    shown.map(async (round) => {
      const source = sources[round.index];
      if (!source || !round.file.left_out || round.index !== open) return round;
      const diff = await getJobDiff(actor, source);
      return { ...round, file: diff?.files[0] ?? round.file };
    }),
  );
}

function addressOf({ story, one }: ReviewPage, { sources }: Shown, index: number): string {
  const source = sources[index];
  if (one?.diff) {
    const since = one.before === null ? "" : `&since=${one.since}`;
    return `/jobs/${one.job_id}/file?attempt=${one.diff.attempt}&index=${index}${since}`;
  }
  // What several attempts changed is joined again; other lines are read where they are.
  if (!source) return `/stories/${story?.id}/file?index=${index}`;
  return `/jobs/${source.job_id}/file?attempt=${source.attempt}&index=${source.index}`;
}
