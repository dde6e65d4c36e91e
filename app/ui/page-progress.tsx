import { Link } from "@remix-run/react";

/** Progress bar while part of a page loads. motion.css shows it only after a delay. Esc goes to `closeTo` meanwhile. */
export function PageProgress({ closeTo }: { closeTo?: string }) {
  return (
    <>
      <div role="progressbar" aria-label="Loading" className="page-progress" />
      {closeTo ? (
        <Link to={closeTo} preventScrollReset data-close hidden>
          Stop loading
        </Link>
      ) : null}
    </>
  );
}
