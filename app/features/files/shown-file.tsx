import { visible } from "~/features/proof/visible";
import type { StoredFile } from "~/nouns/files/contract";

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
