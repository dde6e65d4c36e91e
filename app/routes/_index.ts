import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findActor } from "~/http/page-guards.server";

/** Redirects to the dashboard or the login page. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const found = await findActor(request, context);
  return redirect(found ? "/dashboard" : "/login");
}
