import type { Label } from "~/wire/labels/contract";

/** The labels of a row or card; renders nothing without labels. Color is never the only sign. */
export function LabelChips({ labels }: { labels: readonly Label[] | undefined }) {
  if (!labels || labels.length === 0) return null;
  return (
    <span data-part="labels" className="labels">
      <span className="sr-only">Labels: </span>
      {labels.map((label) => (
        <LabelChip key={label.id} label={label} />
      ))}
    </span>
  );
}

/** Uses a fill attribute for the user's color, because the pages allow no inline styles. */
export function LabelChip({ label: { name, color } }: { label: Label }) {
  return (
    <span className="label-chip" title={name}>
      <svg viewBox="0 0 8 8" aria-hidden="true" className="size-2 shrink-0">
        <circle cx="4" cy="4" r="4" fill={color} />
      </svg>
      <span className="truncate">{name}</span>
    </span>
  );
}
