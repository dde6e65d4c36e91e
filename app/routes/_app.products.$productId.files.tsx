import { json, type MetaFunction } from "@remix-run/node";
import { Link, useLoaderData } from "@remix-run/react";
import { FileList, sizeText } from "~/features/files/file-list";
import { useIsOwner } from "~/features/products/product-access";
import { fileIntents } from "~/http/files.server";
import { runIntent } from "~/http/form-action.server";
import { productAction, productLoader } from "~/http/page-guards.server";
import { useLiveRevalidation } from "~/live/use-live-stream";
import { listFiles } from "~/nouns/files/operations.server";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { EmptyState } from "~/ui/empty-state";
import { PageHeader } from "~/ui/page-header";
import { type ListedFile, productFilesLimit } from "~/wire/files/contract";
import { cursorSchema } from "~/wire/text";

/** `/products/:id/files`: every file of a product, wherever it belongs, and how much room they take. */
export const loader = productLoader(async ({ actor, principal, productId, request }) => {
  const before = new URL(request.url).searchParams.get("before");
  const page = await listFiles(actor, { product_id: productId, cursor: cursorSchema.safeParse(before).data });
  return json({ ...page, productId, viewerId: principal.user_id });
});

export const action = productAction(async ({ actor, productId, form }) =>
  runIntent(form, { "delete-file": fileIntents(actor, form, `/products/${productId}/files`)["delete-file"] }),
);

export const meta: MetaFunction = () => [{ title: "Files · Backloom" }];

export default function ProductFilesPage() {
  const { files, used, next_cursor, productId, viewerId } = useLoaderData<typeof loader>();
  const isOwner = useIsOwner();
  useLiveRevalidation({ stream: "backlog", productId });
  return (
    <div className="grid max-w-2xl gap-5">
      <PageHeader title="Files" />
      {files.length === 0 ? (
        <EmptyState title="No files">Attach pictures and recordings to stories, tasks and comments.</EmptyState>
      ) : (
        <Section title="All files" about={`${sizeText(used)} of ${sizeText(productFilesLimit)} used, newest first.`}>
          <FileList files={files} viewerId={viewerId} isOwner={isOwner} about={itemOf} />
          {next_cursor ? (
            <ButtonLink to={`?before=${next_cursor}`} size="sm">
              Older files
            </ButtonLink>
          ) : null}
        </Section>
      )}
    </div>
  );
}

/** Where a file is shown. */
function itemOf({ story_id, task_id, comment_id, job_id, evidence }: ListedFile) {
  const [to, label] = task_id
    ? [`/tasks/${task_id}`, "task"]
    : story_id
      ? [`/stories/${story_id}`, "story"]
      : job_id
        ? [`/jobs/${job_id}`, "job"]
        : [null, null];
  return (
    <>
      {comment_id ? <span>· comment</span> : null}
      {evidence ? <span>· evidence</span> : null}
      {to ? (
        <Link to={to} className="text-accent underline underline-offset-2">
          {label}
        </Link>
      ) : null}
    </>
  );
}
