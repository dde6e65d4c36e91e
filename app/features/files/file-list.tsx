import { Form } from "@remix-run/react";
import type { ReactNode } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { visible } from "~/features/proof/visible";
import { useLive } from "~/live/live-provider";
import { useActionResult } from "~/ui/action-result";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { FormErrors, HiddenFields } from "~/ui/field";
import { isolated } from "~/ui/isolated";
import { RelativeTime } from "~/ui/relative-time";
import { useWriteAccess, WriteFields } from "~/ui/write-access";
import { fileTypes, type ListedFile } from "~/wire/files/contract";
import { AttachButton, useUpload } from "./attach";

interface FileListProps {
  files: readonly ListedFile[];
  viewerId: string;
  isOwner: boolean;
  about?: (file: ListedFile) => ReactNode;
}

/** Files one below another: a small picture, name, size, who added it and when, and what can be done with it. */
export function FileList({ files, viewerId, isOwner, about }: FileListProps) {
  return (
    <ul className="divide-y divide-line">
      {files.map((file) => (
        <li key={file.id} className="flex items-center gap-3 py-2">
          <Thumbnail file={file} />
          <div className="grid min-w-0 grow gap-0.5">
            <a href={file.url} className="w-fit max-w-full truncate text-sm hover:underline pointer-coarse:py-1.5">
              {visible(file.name)}
            </a>
            <p className="flex flex-wrap gap-x-1.5 text-xs text-muted">
              <span>{sizeText(file.size)}</span>
              {file.author ? <span>· {file.author}</span> : null}
              <RelativeTime at={file.created_at} />
              {about?.(file)}
            </p>
          </div>
          {isOwner || (file.created_by === viewerId && !file.evidence) ? (
            <WriteFields quiet>
              <DeleteFile file={file} />
            </WriteFields>
          ) : null}
        </li>
      ))}
    </ul>
  );
}

function Thumbnail({ file: { url, type } }: { file: ListedFile }) {
  const look = "size-10 shrink-0 rounded border border-line";
  if (type.startsWith("image/")) return <img src={url} alt="" loading="lazy" className={`${look} object-cover`} />;
  const [kind = "", name = ""] = type.split("/");
  return (
    <span aria-hidden="true" className={`${look} grid place-items-center text-[0.625rem] uppercase text-muted`}>
      {kind === "text" ? "txt" : name}
    </span>
  );
}

function DeleteFile({ file }: { file: ListedFile }) {
  const name = visible(file.name);
  return (
    <Confirm
      trigger="Delete"
      label={`Delete ${name}`}
      size="sm"
      question={`Delete ${isolated(name)}?`}
      consequence="The file is deleted for everyone, and texts and criteria no longer show it."
      confirmLabel="Delete"
      fields={{ intent: "delete-file", file_id: file.id }}
    />
  );
}

/** "12 MB": as short as a line about a file. */
export function sizeText(bytes: number): string {
  const units = ["B", "KB", "MB", "GB"];
  const step = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), units.length - 1);
  const amount = bytes / 1024 ** step;
  return `${amount < 10 && step > 0 ? amount.toFixed(1) : Math.round(amount)} ${units[step]}`;
}

type ItemTarget = { product_id: string; story_id: string } | { product_id: string; task_id: string };

type FilesSectionProps = { files: readonly ListedFile[]; target: ItemTarget; viewerId: string; isOwner: boolean };

/** The files of a story or task, and a place to drop more. */
export function FilesSection({ files, target, viewerId, isOwner }: FilesSectionProps) {
  const { canWrite } = useWriteAccess();
  const { revalidate } = useLive();
  const upload = useUpload(canWrite ? target : undefined, revalidate);
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
            {hydrated ? <AttachButton upload={upload} label="Add files" /> : <PlainForm target={target} />}
          </WriteFields>
        </div>
      </Section>
    </div>
  );
}

/** One file at a time, for a page without script. */
function PlainForm({ target }: { target: ItemTarget }) {
  const answer = useActionResult<{ fileError?: string }>();
  return (
    <Form
      method="post"
      encType="multipart/form-data"
      reloadDocument
      aria-label="Add a file"
      className="flex flex-wrap items-center gap-2"
    >
      <HiddenFields fields={{ intent: "add-file", ...target }} />
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
