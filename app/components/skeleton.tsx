import clsx from "clsx";

/** Keeps the place of something that is on its way. */
export function Skeleton({ className = "h-4 w-full" }: { className?: string }) {
  return <span aria-hidden="true" className={clsx("breathe block rounded bg-sunken", className)} />;
}
