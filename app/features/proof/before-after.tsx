import { visible } from "~/features/proof/visible";
import type { StoredFile } from "~/nouns/files/contract";
import { CodeChip } from "~/ui/badge";
import type { Picture } from "./pictures";

/** What a criterion looked like before and looks like now, side by side. */
export function BeforeAfter({ pictures }: { pictures: readonly Picture[] }) {
  return (
    <div className="grid items-start gap-3 sm:grid-cols-2">
      {pictures.map(({ label, file, sha, stale }) => (
        <figure key={label} className="grid min-w-0 justify-items-start gap-1">
          <figcaption className="flex flex-wrap items-center gap-x-1.5 text-xs text-muted">
            <span className="font-semibold text-ink">{label}</span>
            {sha ? <CodeChip>{sha.slice(0, 10)}</CodeChip> : null}
            {stale ? <span>· earlier commit</span> : null}
          </figcaption>
          <ShownFile file={file} />
        </figure>
      ))}
    </div>
  );
}

/** A file where it is talked about: a picture is seen, a recording played, all else a link. */
export function ShownFile({ file }: { file: StoredFile }) {
  const { url, type } = file;
  const name = visible(file.name);
  if (type.startsWith("image/")) {
    return (
      <a href={url} className="w-fit max-w-full">
        <img
          src={url}
          alt={name}
          loading="lazy"
          className="max-h-64 max-w-full rounded border border-line"
        />
      </a>
    );
  }
  if (type.startsWith("video/")) {
    return (
      // biome-ignore lint/a11y/useMediaCaption: a recording of a screen, made by a program or a colleague
      <video
        src={url}
        controls
        preload="metadata"
        aria-label={name}
        className="max-h-64 max-w-full rounded border border-line"
      />
    );
  }
  return (
    <a href={url} className="w-fit text-accent underline wrap-anywhere">
      {name}
    </a>
  );
}
