import { LessonEffect, RetireForm, returnedFor, VerdictForm } from "~/features/lessons/lesson-parts";
import { QuestionCard } from "~/features/questions/question-card";
import { ReviewFacts } from "~/features/review/review-facts";
import { RetryForms, stoppedTitle } from "~/features/runs/stopped-run";
import { ActionForm } from "~/ui/action-form";
import { Button, ButtonLink } from "~/ui/button";
import { HiddenFields } from "~/ui/field";
import { RelativeTime } from "~/ui/relative-time";
import { StatusPill } from "~/ui/status";
import type { InboxItem } from "~/wire/inbox/contract";
import { Card, PutAside } from "./card";
import { judgedIn, reviewOf } from "./row-text";

type Of<Kind extends InboxItem["kind"]> = Extract<InboxItem, { kind: Kind }>;

/** One inbox item: what it is, why it waits, and what can be done about it in place. */
export function InboxCard({ item, canPutAside }: { item: InboxItem; canPutAside: boolean }) {
  switch (item.kind) {
    case "question":
      return (
        <QuestionCard
          question={item.question}
          action={canPutAside ? "/inbox" : "/inbox?show=questions"}
          criteria={item.criteria}
          aside={canPutAside ? <PutAside item={item} /> : null}
        />
      );
    case "review":
      return <ReviewCard item={item} />;
    case "run":
      return <FailedRunCard item={item} />;
    case "job":
      return <FailedTalkCard item={item} />;
    case "added":
      return <AddedCard item={item} />;
    case "invitation":
      return <InvitationCard item={item} />;
    case "triage":
      return <TriageCard item={item} />;
    case "lesson":
      return <LessonCard item={item} />;
    case "mention":
      return <MentionCard item={item} />;
  }
}

function ReviewCard({ item }: { item: Of<"review"> }) {
  const { about, ...judged } = judgedIn(item);
  const review = reviewOf(item);
  return (
    <Card
      item={{ ...item, ...judged }}
      label={`Review of ${judged.code}`}
      pill={<StatusPill status="REVIEW" label="Needs review" />}
      about={about}
    >
      {item.review ? <ReviewFacts review={item.review} /> : null}
      {review ? (
        <ButtonLink to={review} tone="primary" className="justify-self-start">
          Review
        </ButtonLink>
      ) : (
        <ActionForm action={`/tasks/${item.id}`} className="flex flex-wrap gap-2">
          <HiddenFields fields={{ intent: "set-status" }} />
          <Button type="submit" name="status" value="done" tone="primary">
            Approve
          </Button>
          <Button type="submit" name="status" value="todo">
            Move to To do
          </Button>
        </ActionForm>
      )}
    </Card>
  );
}

function FailedRunCard({ item }: { item: Of<"run"> }) {
  const run = `/products/${item.product_id}/runs/${item.id}`;
  return (
    <Card
      item={item}
      label={`Stopped run of ${item.code}`}
      pill={<StatusPill status="FAILED" label="Run stopped" />}
      about={stoppedTitle(item)}
      reason={item.reason}
    >
      <div className="flex flex-wrap gap-2">
        <RetryForms action={run} canSkip={item.waiting > 0} failed={item.task_code} />
        {item.task_id ? <ButtonLink to={`/tasks/${item.task_id}`}>Open {item.task_code}</ButtonLink> : null}
      </div>
    </Card>
  );
}

function FailedTalkCard({ item }: { item: Of<"job"> }) {
  return (
    <Card
      item={item}
      label={`Failed conversation about ${item.code}`}
      pill={<StatusPill status="FAILED" label="Conversation failed" />}
      to={`/jobs/${item.id}`}
      reason={item.reason}
    >
      <ButtonLink to={`/ideas/${item.idea_id}`}>Ask again</ButtonLink>
    </Card>
  );
}

function AddedCard({ item }: { item: Of<"added"> }) {
  return (
    <Card
      item={item}
      label={`You were added to ${item.title}`}
      pill={<StatusPill status="WAITING" label="You were added" />}
      to={`/products/${item.product_id}/backlog`}
      about={`${item.owner_name ?? "Someone"} added you to this product. Allow your workers to run its jobs?`}
    >
      <ActionForm
        action={`/products/${item.product_id}/members`}
        className="flex flex-wrap gap-2"
        aria-label={`Workers in ${item.title}`}
        fields={{ intent: "allow-workers" }}
      >
        <Button type="submit" name="allowed" value="yes">
          Allow my workers
        </Button>
        <Button type="submit" tone="quiet" name="allowed" value="no">
          Do not allow
        </Button>
      </ActionForm>
    </Card>
  );
}

function InvitationCard({ item }: { item: Of<"invitation"> }) {
  return (
    <Card
      item={item}
      label={`Invitation to ${item.title}`}
      pill={<StatusPill status="WAITING" label="Invitation" />}
      to="/inbox?show=invitations"
      about={`${item.invited_by ?? "Someone"} invites you as a ${item.role === "VIEWER" ? "viewer" : "member"}.`}
    >
      <p className="text-sm text-muted">
        The invitation expires <RelativeTime at={item.expires_at} />.
      </p>
      <ActionForm
        action="/inbox?show=invitations"
        className="flex flex-wrap gap-2"
        aria-label={`Invitation to ${item.title}`}
        fields={{ invitation_id: item.id }}
      >
        <Button type="submit" tone="primary" name="intent" value="accept">
          Accept
        </Button>
        <Button type="submit" tone="quiet" name="intent" value="decline">
          Decline
        </Button>
      </ActionForm>
    </Card>
  );
}

function TriageCard({ item }: { item: Of<"triage"> }) {
  return (
    <Card
      item={item}
      label={`${item.waiting} in Triage of ${item.title}`}
      pill={<StatusPill status="WAITING" label={`${item.waiting} in Triage`} />}
      about={`Newest: ${item.newest}`}
    >
      <ButtonLink to={`/products/${item.product_id}/triage`} className="justify-self-start">
        Triage
      </ButtonLink>
    </Card>
  );
}

function LessonCard({ item }: { item: Of<"lesson"> }) {
  const label = item.proposes_end ? "Lesson without effect" : "Lesson proposed";
  return (
    <Card
      item={{ ...item, title: returnedFor(item.task_code, item.cause) }}
      label={`${label} in ${item.title}`}
      pill={<StatusPill status="WAITING" label={label} />}
      to={`/products/${item.product_id}/lessons`}
    >
      {item.proposes_end ? <p className="text-sm break-words">{item.text}</p> : null}
      <LessonEffect {...item} isMeasured={item.proposes_end} />
      {item.proposes_end ? (
        <div className="flex flex-wrap items-center gap-2">
          <RetireForm id={item.id} action="/inbox" />
          <span className="text-sm text-muted">To keep it, archive this card.</span>
        </div>
      ) : (
        <VerdictForm id={item.id} text={item.text} action="/inbox" />
      )}
    </Card>
  );
}

function MentionCard({ item }: { item: Of<"mention"> }) {
  return (
    <Card
      item={item}
      label={`${item.author} mentioned you in ${item.code}`}
      pill={<StatusPill status="WAITING" label={`${item.author} mentioned you`} />}
    >
      <p className="line-clamp-4 text-sm break-words whitespace-pre-wrap">{item.excerpt}</p>
      <ButtonLink to={item.path} className="justify-self-start">
        Reply
      </ButtonLink>
    </Card>
  );
}
