import type { IconName } from "./icon-name";
import icons from "./icons.svg?no-inline";

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
