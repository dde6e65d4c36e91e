import { Outlet } from "@remix-run/react";
import { RouteError } from "~/components/error-page";
import { ToastRegion } from "~/components/toast";

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
