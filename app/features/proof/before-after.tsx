import { ShownFile } from "~/features/files/shown-file";
import { CodeChip } from "~/ui/badge";
import { Section } from "~/ui/card";
import { CriterionText } from "./criterion";
import type { Picture, PicturedCriterion } from "./pictures";

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

/** What the criteria of a job look like, for whoever reviews it. */
export function ProofPictures({ criteria }: { criteria: readonly PicturedCriterion[] }) {
  if (criteria.length === 0) return null;
  return (
    <Section
      id="pictures"
      title="Pictures"
      about="Created by the commands that prove the criteria."
    >
      <ul className="grid gap-4">
        {criteria.map(({ id, text, pictures }) => (
          <li key={id} className="grid gap-1.5">
            <p className="text-sm break-words">
              <CriterionText text={text} />
            </p>
            <BeforeAfter pictures={pictures} />
          </li>
        ))}
      </ul>
    </Section>
  );
}
