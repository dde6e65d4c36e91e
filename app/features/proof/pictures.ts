import type { StoredFile } from "~/nouns/files/contract";
import type { Evidence } from "~/nouns/proof/contract";

export interface Picture {
  label: string;
  file: StoredFile;
  sha: string | null;
  /** The work has gone on since. */
  stale: boolean;
}

/**
 * How a criterion looks now and how it looked before: in an earlier attempt, or else without the work. `evidence` is the newest
 * first. Empty where no evidence shows anything.
 */
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
  if (now.base_file) {
    return [{ label: "Before the work", file: now.base_file, sha: null, stale: false }, after];
  }
  return [after];
}

const isShowing = ({ file }: Evidence) => /^(image|video)\//.test(file?.type ?? "");

const isOtherAttempt = (one: Evidence, other: Evidence) =>
  one.attempt !== null && one.job_id === other.job_id && one.attempt !== other.attempt;

/** Several pictures of one commit show one state. */
const isSameWork = (one: Evidence, other: Evidence) =>
  one.head_sha === other.head_sha && one.attempt === other.attempt && one.job_id === other.job_id;
