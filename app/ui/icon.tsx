import type { IconName } from "./icon-name";
import icons from "./icons.svg?no-inline";

/** A sign from the one file of signs, which a browser loads once: a page repeats none of their shapes. Without a label it is decoration. */
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
