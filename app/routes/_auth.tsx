import { Outlet } from "@remix-run/react";
import { RouteError } from "~/ui/error-page";
import { ToastRegion } from "~/ui/toast-region";

/** The pages of people who are not signed in yet. */
export default function SignedOutLayout() {
  return (
    <>
      <Outlet />
      <ToastRegion />
    </>
  );
}

export function ErrorBoundary() {
  return (
    <main>
      <RouteError />
    </main>
  );
}
