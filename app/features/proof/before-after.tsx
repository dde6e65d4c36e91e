import { ShownFile } from "~/features/files/shown-file";
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
