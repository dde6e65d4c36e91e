import type { ReactNode } from "react";
import { visible } from "~/features/proof/visible";
import type { ListedFile } from "~/nouns/files/contract";
import { Confirm } from "~/ui/confirm";
import { isolated } from "~/ui/isolated";
import { RelativeTime } from "~/ui/relative-time";
import { WriteFields } from "~/ui/write-access";

/** Files one below another: a small picture, name, size, who added it and when, and what can be done with it. */
export function FileList({
  files,
  viewerId,
  isOwner,
  about,
}: {
  files: readonly ListedFile[];
  viewerId: string;
  isOwner: boolean;
  /** What more there is to say of a file. */
  about?: (file: ListedFile) => ReactNode;
}) {
  return (
    <ul className="divide-y divide-line">
      {files.map((file) => (
        <li key={file.id} className="flex items-center gap-3 py-2">
          <Thumbnail file={file} />
          <div className="grid min-w-0 grow gap-0.5">
            <a
              href={file.url}
              className="w-fit max-w-full truncate text-sm hover:underline pointer-coarse:py-1.5"
            >
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
  if (type.startsWith("image/")) {
    return <img src={url} alt="" loading="lazy" className={`${look} object-cover`} />;
  }
  const [kind = "", name = ""] = type.split("/");
  return (
    <span
      aria-hidden="true"
      className={`${look} grid place-items-center text-[0.625rem] uppercase text-muted`}
    >
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
