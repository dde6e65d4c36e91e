import { Link, useLoaderData, useLocation, useSearchParams } from "@remix-run/react";
import { DiffView } from "~/features/diff/diff-view";
import { useViewed } from "~/features/diff/use-viewed";
import { waitsForReview } from "~/features/jobs/job-badges";
import { JobHeader } from "~/features/jobs/job-header";
import { TryIt } from "~/features/previews/try-it";
import { ProductAccess } from "~/features/products/product-access";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { ButtonLink } from "~/ui/button";
import { EmptyState } from "~/ui/empty-state";
import { CheckField } from "~/ui/field";
import { Fold } from "~/ui/fold";
import { codeAndTitle } from "~/ui/isolated";
import { countText } from "~/ui/numbers";
import { PageHeader } from "~/ui/page-header";
import type { AgentJob } from "~/wire/agent-jobs/contract";
import type { JobComments } from "~/wire/reviews/contract";
import { fileMarks, MarkList } from "./mark-list";
import type { readReview } from "./read-review.server";
import { Remarks } from "./remarks";
import { NextSteps, ReviewBar } from "./review-bar";
import { ReviewHead } from "./review-head";
import { useComments } from "./use-comments";
import { AgentSays, CriterionFold, GuideSummary, JobPosition } from "./what-was-done";

type Data = ReturnType<typeof useLoaderData<typeof readReview>>;

export const reviewMeta = ({ data }: { data?: Data }) => {
  const job = data?.header?.job;
  const of = job?.task_code ? `${job.task_code} ${job.task_title}` : data?.story ? codeAndTitle(data.story) : null;
  return [{ title: of ? `Changes of ${of} · Backloom` : "Changes · Backloom" }];
};

/** What was changed and no one has judged yet: of a story in a chapter for each task, or of one attempt. */
export function ReviewPage() {
  const data = useLoaderData<typeof readReview>();
  const [query] = useSearchParams();
  const place = `${useLocation().pathname}?${new URLSearchParams(placeIn(query))}`;
  const { story, product, header, jobs, says, of, about, since, size, criteria, comments, reviews, marked, queue } =
    data;
  useLiveRevalidation({ stream: "backlog", productId: product.id });
  const { below, above, apart, setSpot } = useComments(comments, { of, since });
  const viewed = useViewed(data.viewed, ({ index }) => about[index]?.marks ?? [], of);
  const job = header?.job ?? null;
  // Of a story the last part has the others in it.
  const newest = job ?? jobs.at(-1);
  const drafts = comments.filter(({ draft }) => draft);
  const crumbs = [
    { label: "Reviews", to: "/inbox?show=reviews" },
    { label: product.name, to: `/products/${product.id}/backlog` },
  ];
  return (
    <ProductAccess productId={product.id}>
      {header ? (
        <JobHeader {...header} review={crumbs} />
      ) : (
        <PageHeader
          crumbs={[...crumbs, ...(story ? [{ label: story.code, to: `/stories/${story.id}` }] : [])]}
          title={story ? `Changes of ${codeAndTitle(story)}` : "Changes"}
        />
      )}
      <div className="mb-4 grid gap-3">
        <ReviewHead
          key={of}
          queue={queue}
          size={size}
          criteria={criteria}
          marked={marked}
          linkTo={({ mark, path, hunk }) => {
            if (path === null) return mark === "unsure" ? "#details" : mark === "unproven" ? "#criteria" : null;
            const file = data.files.find((each) => each.path === path);
            if (!file) return null;
            // Joined or compared files have other hunks.
            const isWhole = since === null && about[file.index]?.marks.length === 1;
            return isWhole && hunk !== null && hunk < (file.hunks?.length ?? 0)
              ? `#hunk-${file.index}-${hunk}`
              : `#file-${file.index}`;
          }}
          sameFiles={data.sameFiles}
          details={
            <>
              {job ? <JobPosition job={job} /> : null}
              <AgentsSay jobs={jobs} says={says} />
            </>
          }
        >
          <AttemptLinks {...data} />
          <TaskLinks {...data} />
          {newest === undefined ? null : <TryIt job={newest} />}
        </ReviewHead>
        <Remarks reviews={reviews} comments={comments} />
        {data.unnamed.map(({ id, code }) => (
          <p key={id}>
            {code} changes too many files to be shown with the others.{" "}
            <Link to={`?task=${id}`} className="text-accent underline">
              {`Changes of ${code}`}
            </Link>
          </p>
        ))}
        {since !== null && size?.files === 0 ? (
          <p>{`Attempt ${data.attempts?.shown} changed nothing since attempt ${since.attempt}.`}</p>
        ) : null}
        {jobs.length === 0 ? (
          <EmptyState title="Nothing left to review">
            What agents do for this story is here until a person reviews it.
          </EmptyState>
        ) : size === null ? (
          <EmptyState title="No changes yet">The agent's changes appear here when the attempt ends.</EmptyState>
        ) : (
          <DiffView
            key={`${of} ${since?.attempt}`}
            addressOf={({ index }) => about[index]?.address ?? ""}
            since={since?.attempt ?? null}
            files={data.files}
            chapters={data.chapters}
            page={data}
            aside={(chapter) => {
              const known = criteria.find(({ id }) => id === chapter.criterion);
              if (known) return <CriterionFold criterion={known} />;
              const own = jobs.filter(({ task_id }) => chapter.id !== undefined && task_id === chapter.id);
              return own.length === 0 ? null : (
                <Fold label="What the agent says">
                  <AgentsSay jobs={own} says={says} />
                </Fold>
              );
            }}
            viewed={viewed}
            flagOf={(path) => fileMarks(marked, path)}
            below={below}
            above={above}
            onSpot={setSpot}
          />
        )}
        {apart}
      </div>
      <ReviewBar
        key={place}
        of={of}
        draft={`review ${place}`}
        viewed={{ count: viewed.count, total: size?.files ?? 0 }}
        queue={queue}
        drafts={drafts.length}
        criteria={criteria}
        {...(job ? verdictOnJob(data, job, place) : verdictOnStory(data, (size?.files ?? 0) - viewed.count))}
      >
        {job ? (
          <input type="hidden" name="attempt" value={`${job.id} ${job.attempt}`} />
        ) : (
          data.unjudged.map(({ job_id, attempt, code, title, waits }) => (
            <CheckField
              key={`${job_id} ${attempt} ${data.unjudged.length}`}
              name="attempt"
              value={`${job_id} ${attempt}`}
              defaultChecked
              label={`${code} ${title}`}
              description={aboutTask(waits, drafts.filter((each) => each.job_id === job_id).length)}
            />
          ))
        )}
      </ReviewBar>
    </ProductAccess>
  );
}

function verdictOnStory({ open_tasks, unjudged, criteria, queue }: Data, unseen: number) {
  const finishes = open_tasks === 0 && unjudged.some(({ waits }) => waits);
  return {
    isOpen: unjudged.length > 0,
    reason: null,
    confirms: finishes ? criteria : [],
    also: [
      unseen > 0 ? `${countText(unseen, "file")} not viewed. ` : "",
      finishes ? "Approving all tasks finishes the story. " : "",
    ].join(""),
    judged: countText(unjudged.length, "task"),
    after: <NextSteps next={queue.next} />,
  };
}

/** An attempt that another one followed is only looked at. */
function verdictOnJob(
  { open_tasks, unjudged, criteria, reviews, queue, attempts }: Data,
  job: AgentJob,
  place: string,
) {
  const waits = waitsForReview(job);
  const isReviewed = reviews.at(-1)?.attempt === job.attempt;
  const reason = isReviewed ? whatFollows(job, reviews) : reasonAgainst(job, waits);
  const newest = attempts?.all.at(-1);
  if (attempts && newest !== attempts.shown) {
    const decides = reason === null ? `Attempt ${newest} is the one to decide on.` : "";
    return {
      isOpen: false,
      isOld: true,
      reason: `You look at attempt ${attempts.shown}. ${decides}`,
      confirms: null,
      after: <ButtonLink to={place}>{`Open attempt ${newest}`}</ButtonLink>,
    };
  }
  const left = unjudged.filter((each) => each.waits);
  const finishes = open_tasks === 0 && left.length === 1 && left[0]?.job_id === job.id;
  return {
    isOpen: reason === null,
    reason,
    confirms: waits ? (finishes ? criteria : []) : null,
    after: isReviewed ? (
      <NextSteps next={queue.next}>
        {job.task_id ? <ButtonLink to={`/tasks/${job.task_id}`}>Open {job.task_code ?? "task"}</ButtonLink> : null}
      </NextSteps>
    ) : null,
  };
}

function reasonAgainst(job: AgentJob, waits: boolean): string | null {
  if (waits || job.finished_at !== null) return null;
  return job.status === "queued"
    ? "The job is queued."
    : "The job is running. You can review it when the attempt ends.";
}

/** What the verdict leads to: an approval to nothing more, remarks to the next attempt. */
function whatFollows(job: AgentJob, reviews: JobComments["reviews"]): string {
  if (reviews.at(-1)?.verdict === "approve") return "This attempt has been reviewed.";
  return job.finished_at === null
    ? "The task is queued again. The next attempt continues this work with your comments."
    : "Run it again: the next attempt continues this work with your comments.";
}

function aboutTask(waits: boolean, drafts: number): string | undefined {
  const parts = [
    waits ? null : "Already done. Approving it records that you have seen it.",
    drafts === 0 ? null : `${countText(drafts, "comment")} not sent yet.`,
  ].filter((part) => part !== null);
  return parts.join(" ") || undefined;
}

function AgentsSay({ jobs, says }: { jobs: readonly AgentJob[]; says: Data["says"] }) {
  return jobs.map((job) => {
    const summary = says.find(({ job_id }) => job_id === job.id);
    return (
      <div key={job.id} className="grid gap-3">
        {summary ? <MarkList marked={summary.marked} inFull /> : null}
        <AgentSays job={job}>{summary ? <GuideSummary chapters={summary.chapters} /> : null}</AgentSays>
      </div>
    );
  });
}

/** The parts of a story that no one has judged: all of them, or one on its own. */
function TaskLinks({ unjudged, header }: Data) {
  const shown = header?.job.task_id;
  if (unjudged.every(({ id }) => id === shown)) return null;
  return (
    <nav aria-label="Changes of" className="flex flex-wrap gap-x-3 gap-y-1">
      <Choice to="?" isShown={shown === undefined}>
        All tasks
      </Choice>
      {unjudged.map(({ id, code }) => (
        <Choice key={id} to={`?task=${id}`} isShown={id === shown}>
          {code}
        </Choice>
      ))}
    </nav>
  );
}

/** The part of an address that says what is reviewed, not which attempt. */
const placeIn = (query: URLSearchParams) => [...query].filter(([key]) => key === "task" || key === "job");

/** Selects the changes to show: one attempt's, or only those since an earlier one. */
function AttemptLinks({ attempts, since }: Data) {
  const [query] = useSearchParams();
  if (attempts === null || attempts.all.length < 2) return null;
  const before = attempts.all.at(-2);
  const to = (name: string, value: number | string | undefined) =>
    `?${new URLSearchParams([...placeIn(query), [name, String(value)]])}`;
  return (
    <nav aria-label="Changes of attempt" className="flex flex-wrap gap-2">
      {since?.isLook ? (
        <Choice to={to("since", "looked")} isShown>
          Since you looked
        </Choice>
      ) : null}
      {attempts.all.at(-1) === attempts.shown ? (
        <Choice to={to("since", before)} isShown={since !== null && !since.isLook}>
          {`Since attempt ${before}`}
        </Choice>
      ) : null}
      {attempts.all.map((attempt) => (
        <Choice key={attempt} to={to("attempt", attempt)} isShown={attempt === attempts.shown && since === null}>
          {`Attempt ${attempt}`}
        </Choice>
      ))}
    </nav>
  );
}

function Choice({ to, isShown, children }: { to: string; isShown: boolean; children: string }) {
  return (
    <Link
      to={to}
      aria-current={isShown ? "page" : undefined}
      className="text-muted hover:underline aria-[current=page]:font-medium aria-[current=page]:text-ink"
    >
      {children}
    </Link>
  );
}
