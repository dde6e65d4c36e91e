import { visible } from "~/features/proof/visible";
import { CodeChip } from "~/ui/badge";
import type { StoredFile } from "~/wire/files/contract";
import type { Evidence } from "~/wire/proof/contract";

interface Picture {
  label: string;
  file: StoredFile;
  sha: string | null;
  /** The work has gone on since. */
  stale: boolean;
}

/** How a criterion looked before: in an earlier attempt, or else without the work. `evidence` is newest first. */
export function picturesOf(evidence: readonly Evidence[]): Picture[] {
  const at = evidence.findIndex(isShowing);
  const now = evidence[at];
  if (!now?.file) return [];
  const earlier = evidence.slice(at + 1).find((each) => isShowing(each) && !isSameWork(each, now));
  const after = { label: "Now", file: now.file, sha: now.head_sha, stale: now.stale };
  if (earlier?.file) {
    const label = isOtherAttempt(earlier, now) ? `Before: attempt ${earlier.attempt}` : "Before";
    return [{ label, file: earlier.file, sha: earlier.head_sha, stale: false }, after];
  }
  if (now.base_file) return [{ label: "Before the work", file: now.base_file, sha: null, stale: false }, after];
  return [after];
}

const isShowing = ({ file }: Evidence) => /^(image|video)\//.test(file?.type ?? "");

const isOtherAttempt = (one: Evidence, other: Evidence) =>
  one.attempt !== null && one.job_id === other.job_id && one.attempt !== other.attempt;

/** Several pictures of one commit show one state. */
const isSameWork = (one: Evidence, other: Evidence) =>
  one.head_sha === other.head_sha && one.attempt === other.attempt && one.job_id === other.job_id;

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
function ShownFile({ file }: { file: StoredFile }) {
  const { url, type } = file;
  const name = visible(file.name);
  if (type.startsWith("image/")) {
    return (
      <a href={url} className="w-fit max-w-full">
        <img src={url} alt={name} loading="lazy" className="max-h-64 max-w-full rounded border border-line" />
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
