import type { ShouldRevalidateFunction } from "@remix-run/react";

/** The status of an answer that this browser gave itself: no service was there to give one. */
const unreachable = 504;

/** What a form is answered when the service was not reached, in the form in which Remix expects an action's answer. */
export function unreachableAnswer(): Response {
  const error = navigator.onLine
    ? "The service did not answer. Try again in a moment."
    : "You are offline. Try again when you are connected.";
  return Response.json(
    { error, code: unreachable },
    { status: unreachable, headers: { "X-Remix-Response": "yes" } },
  );
}

/**
 * After a form that reached nobody nothing can have changed for this page, and asking for its data would fail as well:
 * the page keeps what it shows. Every page with a form exports this.
 */
export const shouldRevalidate: ShouldRevalidateFunction = ({
  actionStatus,
  defaultShouldRevalidate,
}) => actionStatus !== unreachable && defaultShouldRevalidate;
