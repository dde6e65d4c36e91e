import { Form } from "@remix-run/react";
import { useHydrated } from "remix-utils/use-hydrated";
import { useLive } from "~/live/live-provider";
import { fileTypes, type ListedFile } from "~/nouns/files/contract";
import { useActionResult } from "~/ui/action-result";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { FormErrors, HiddenFields } from "~/ui/field";
import { useWriteAccess, WriteFields } from "~/ui/write-access";
import { AttachButton, useUpload } from "./attach";
import { FileList } from "./file-list";

type ItemPlace = { product_id: string; story_id: string } | { product_id: string; task_id: string };

/** The files of a story or task, and a place to drop more. */
export function FilesSection({
  files,
  place,
  viewerId,
  isOwner,
}: {
  files: readonly ListedFile[];
  place: ItemPlace;
  viewerId: string;
  isOwner: boolean;
}) {
  const { canWrite } = useWriteAccess();
  const { revalidate } = useLive();
  const upload = useUpload(canWrite ? place : undefined, revalidate);
  const hydrated = useHydrated();
  return (
    <div {...upload.targets}>
      <Section id="files" title={files.length > 0 ? `Files (${files.length})` : "Files"}>
        <div className="grid gap-2">
          {files.length > 0 ? (
            <FileList files={files} viewerId={viewerId} isOwner={isOwner} />
          ) : (
            <p className="text-sm text-muted">
              No files yet.
              {hydrated && canWrite ? (
                <span className="hidden keyboard:inline"> Drop pictures or recordings here.</span>
              ) : null}
            </p>
          )}
          <WriteFields quiet>
            {hydrated ? (
              <AttachButton upload={upload} label="Add files" />
            ) : (
              <PlainForm place={place} />
            )}
          </WriteFields>
        </div>
      </Section>
    </div>
  );
}

/** One file at a time, for a page without script. */
function PlainForm({ place }: { place: ItemPlace }) {
  const answer = useActionResult<{ fileError?: string }>();
  return (
    <Form
      method="post"
      encType="multipart/form-data"
      reloadDocument
      aria-label="Add a file"
      className="flex flex-wrap items-center gap-2"
    >
      <HiddenFields fields={{ intent: "add-file", ...place }} />
      <FormErrors errors={answer?.fileError ? [answer.fileError] : []} />
      <input
        type="file"
        name="file"
        required
        aria-label="File"
        accept={fileTypes.join(",")}
        className="max-w-full text-sm text-muted"
      />
      <Button type="submit" size="sm">
        Add file
      </Button>
    </Form>
  );
}
