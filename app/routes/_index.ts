import { type LoaderFunctionArgs, redirect } from "@remix-run/node";
import { findActor } from "~/http/page-guards.server";

/** The front door: to the dashboard, or to the login page. */
export async function loader({ request, context }: LoaderFunctionArgs): Promise<Response> {
  const found = await findActor(request, context);
  return redirect(found ? "/dashboard" : "/login");
}
