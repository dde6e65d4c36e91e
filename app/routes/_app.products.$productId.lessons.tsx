import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { lessonIntents } from "~/features/lessons/lesson-forms.server";
import { LessonEffect, RetireForm, returnedFor, SourceLink, VerdictForm } from "~/features/lessons/lesson-parts";
import { runIntent } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { listLessons } from "~/nouns/lessons/operations.server";
import { PageRefusal } from "~/ui/action-form";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";
import type { Lesson } from "~/wire/lessons/contract";
import type { KeptFile } from "~/wire/upkeep/contract";

export const loader = productLoader(async ({ actor, productId }) =>
  json({ productId, ...(await listLessons(actor, { product_id: productId })) }),
);

export const action = productAction(async ({ actor, productId, form }) =>
  runIntent(form, lessonIntents(actor, form, `/products/${productId}/lessons`)),
);

export const meta: MetaFunction = () => [{ title: "Lessons · Backloom" }];

const groups = [
  ["proposed", "Proposed", "Agents do not read these until someone accepts them."],
  ["accepted", "Accepted", "Every agent that works on this product reads these."],
  ["retired", "Retired", null],
  ["declined", "Declined", null],
] as const satisfies readonly (readonly [Lesson["status"], string, string | null])[];

export default function LessonsPage() {
  const { productId, lessons, files } = useLoaderData<typeof loader>();
  useLiveRevalidation({ stream: "backlog", productId });
  return (
    <div className="grid max-w-3xl gap-6">
      <PageHeader title="Lessons" lead="What agents learned when their work came back." />
      <PageRefusal />
      {lessons.length === 0 ? (
        <EmptyState title="No lessons yet">
          When work comes back to an agent, by requested changes, a refuted proof or failed tests, the agent may propose
          a lesson here and in your inbox.
        </EmptyState>
      ) : null}
      <KeptFiles files={files} />
      {groups.map(([status, title, about]) => (
        <Group
          key={status}
          title={title}
          about={about}
          lessons={lessons.filter((lesson) => lesson.status === status)}
        />
      ))}
    </div>
  );
}

function Group({ title, about, lessons }: { title: string; about: string | null; lessons: readonly Lesson[] }) {
  if (lessons.length === 0) return null;
  return (
    <section aria-label={title} className="grid gap-3">
      <div>
        <h2 className="text-base font-semibold">{title}</h2>
        {about ? <p className="text-sm text-muted">{about}</p> : null}
      </div>
      <ul className="grid gap-3">
        {lessons.map((lesson) => (
          <li key={lesson.id}>
            <LessonRow lesson={lesson} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function LessonRow({ lesson }: { lesson: Lesson }) {
  const { id, text, status, source, since, accepted_by, proposes_end } = lesson;
  return (
    <article className="grid gap-2 rounded-lg border border-line bg-surface p-4">
      {status === "proposed" ? null : <p className="break-words">{text}</p>}
      <p className="flex flex-wrap gap-x-2 text-sm text-muted">
        <span>{returnedFor(source.task?.code ?? null, source.cause)}</span>
        {since ? (
          <span>
            Accepted by <bdi>{accepted_by ?? "someone"}</bdi> <RelativeTime at={since} />.
          </span>
        ) : null}
        <SourceLink job_id={source.job_id} />
      </p>
      <LessonEffect {...lesson} isMeasured={since !== null} />
      {proposes_end ? (
        <p className="text-sm">As many tasks came back as before. Retire this lesson, or leave it as it is.</p>
      ) : null}
      {status === "proposed" || status === "accepted" ? (
        <WriteFields quiet className="grid gap-2">
          {status === "proposed" ? <VerdictForm id={id} text={text} /> : <RetireForm id={id} />}
        </WriteFields>
      ) : null}
    </article>
  );
}

const titles = {
  agents_md: "Lessons in AGENTS.md",
  spec_boxes: "Boxes of done tasks in specs",
} as const satisfies Record<KeptFile["kind"], string>;

function KeptFiles({ files }: { files: readonly KeptFile[] }) {
  if (files.length === 0) return null;
  return (
    <section aria-label="In the repository" className="grid gap-2">
      <h2 className="text-base font-semibold">In the repository</h2>
      <dl className="grid gap-2 text-sm">
        {files.map((file) => (
          <div key={file.kind}>
            <dt className="font-medium">{titles[file.kind]}</dt>
            <dd className="break-words text-muted">
              {stateOf(file)}{" "}
              {file.url === null || file.state === "waiting" ? null : (
                <a href={file.url} className="text-accent underline">
                  Open the pull request
                </a>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function stateOf({ state, branch, words }: KeptFile): string {
  switch (state) {
    case "waiting":
      return words === null ? "Waiting for a worker started with --pr." : `Waiting for a worker to try again: ${words}`;
    case "open":
      return "In an open pull request.";
    case "merged":
      return "Merged.";
    case "closed":
      return "Closed without being merged. The next change opens a new pull request.";
    case "branch":
      return `On branch ${branch}, as there is nowhere to open a pull request. Merge it yourself.`;
    case "conflict":
      return words ?? "It conflicts with what people wrote. Resolve it in the file.";
  }
}
