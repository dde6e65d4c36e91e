import { Link } from "@remix-run/react";
import clsx from "clsx";
import { buttonClass } from "~/ui/button";
import { Icon } from "~/ui/icon";
import { useWriteAccess } from "~/ui/write-access";
import type { InPlace } from "./use-in-place";

/** Opens the editor by key, touch, and without JavaScript: then it reloads the page with the editor open. */
export function EditLink({
  label,
  place,
  children,
  className,
}: {
  label: string;
  place: InPlace;
  /** Text instead of the pencil icon. */
  children?: string;
  className?: string;
}) {
  const { canWrite } = useWriteAccess();
  if (!canWrite) return null;
  return (
    <Link
      ref={place.opener}
      to={place.editTo}
      role="button"
      data-edit
      preventScrollReset
      aria-label={`Edit ${label.toLowerCase()}`}
      title={`Edit ${label.toLowerCase()} (e)`}
      onClick={(event) => {
        event.preventDefault();
        place.edit();
      }}
      className={clsx(
        children
          ? "text-sm text-accent underline underline-offset-2"
          : buttonClass("quiet", "icon-sm"),
        className,
      )}
    >
      {children ?? <Icon name="pencil" className="size-3.5" />}
    </Link>
  );
}
