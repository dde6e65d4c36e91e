import { isRouteErrorResponse, Link, useRouteError } from "@remix-run/react";
import { buttonClass } from "./button";
import { Mark } from "./icon";
import { PageTitle } from "./page-header";

type Texts = { title: string; text: string; to: string; action: string };

const home = { to: "/dashboard", action: "Go to the dashboard" };

function textsFor(status: number, message: string | null): Texts {
  if (status === 404)
    return {
      title: "This page does not exist",
      text: message ?? "Check the address, or the item may have been deleted.",
      ...home,
    };
  if (status === 403)
    return {
      title: "You do not have access",
      text: message ?? "This belongs to a product that you are not a member of. Ask its owner to add you.",
      ...home,
    };
  if (status === 401)
    return { title: "You are signed out", text: message ?? "Sign in to continue.", to: "/login", action: "Sign in" };
  if (status === 429) return { title: "Too many requests", text: message ?? "Wait a minute and try again.", ...home };
  if (status < 500) return { title: "Something went wrong", text: message ?? "Go back and try again.", ...home };
  return {
    title: "Something broke on our side",
    text: "The error was logged. Try again. If it continues, contact your administrator.",
    ...home,
  };
}

/** Says what happened and offers one link. */
export function ErrorPage({ status, message }: { status: number; message?: string | null }) {
  const texts = textsFor(status, message ?? null);
  return (
    <div className="mx-auto grid max-w-md justify-items-center gap-3 px-4 py-20 text-center">
      <Mark className="size-10" />
      <p className="font-mono text-xs text-muted">{status}</p>
      <PageTitle>{texts.title}</PageTitle>
      <p className="text-muted">{texts.text}</p>
      <Link to={texts.to} className={buttonClass("primary", "lg", "mt-2")}>
        {texts.action}
      </Link>
    </div>
  );
}

/** What to do if nothing was answered, or if code of the page is gone since an update of the service. */
function ReloadPage({ title, text }: Pick<Texts, "title" | "text">) {
  return (
    <div className="mx-auto grid max-w-md justify-items-center gap-3 px-4 py-20 text-center">
      <Mark className="size-10" />
      <PageTitle>{title}</PageTitle>
      <p className="text-muted">{text}</p>
      <button type="button" onClick={() => window.location.reload()} className={buttonClass("primary", "lg", "mt-2")}>
        Try again
      </button>
    </div>
  );
}

/** Error boundary of every route. Refusals show their sentence, failures never do. */
export function RouteError() {
  const error = useRouteError();
  if (isRouteErrorResponse(error)) return <ErrorPage status={error.status} message={sentence(error.data)} />;
  if (typeof navigator !== "undefined" && navigator.onLine === false)
    return <ReloadPage title="You are offline" text="Your last action was not sent, so nothing was changed." />;
  // The sentences of browsers for a failed `import()` have only this word in common.
  if (error instanceof TypeError && error.message.includes("module"))
    return (
      <ReloadPage title="Part of this page did not load" text="The connection was lost, or the service was updated." />
    );
  return <ErrorPage status={500} />;
}

/** The same for pages without the frame of those who are signed in. */
export function WholePageError() {
  return (
    <main>
      <RouteError />
    </main>
  );
}

function sentence(data: unknown): string | null {
  if (typeof data === "string" && data.length > 0 && data.length < 300) return data;
  if (typeof data === "object" && data !== null && "error" in data && typeof data.error === "string") return data.error;
  return null;
}
