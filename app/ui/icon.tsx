import icons from "./icons.svg?no-inline";

/** Names of all icons in `icons.svg`. */
export const iconNames = [
  "activity",
  "arrow-down",
  "arrow-up",
  "bell",
  "chart-no-axes-column",
  "check",
  "chevrons-up-down",
  "circle-question-mark",
  "clipboard-list",
  "copy",
  "cpu",
  "file-question-mark",
  "flask-conical",
  "git-commit-horizontal",
  "house",
  "inbox",
  "keyboard",
  "lightbulb",
  "list-tree",
  "menu",
  "monitor",
  "moon",
  "pencil",
  "plug",
  "plus",
  "search",
  "settings",
  "shield-check",
  "smartphone",
  "square-kanban",
  "sun",
  "trash",
  "x",
] as const;

export type IconName = (typeof iconNames)[number];

/** An icon from `icons.svg`, which the browser loads once. Without a label it is decorative. */
export function Icon({
  name,
  className,
  label,
}: {
  name: IconName;
  className?: string;
  label?: string;
}) {
  return (
    <svg
      viewBox="0 0 24 24"
      className={className ? `glyph ${className}` : "glyph"}
      role={label ? "img" : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : "true"}
    >
      <use href={`${icons}#${name}`} />
    </svg>
  );
}
