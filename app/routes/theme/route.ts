import type { ActionFunctionArgs } from "@remix-run/node";
import { json, redirect } from "@remix-run/node";
import { enhancedField } from "~/components/enhanced-field";
import { parseTheme, themeCookie } from "~/components/theme";

export function loader() {
  return redirect("/");
}

/** Keeps the chosen theme in a cookie; a person who is signed out may choose one too. */
export async function action({ request }: ActionFunctionArgs) {
  const form = await request.formData();
  const headers = { "Set-Cookie": themeCookie(parseTheme(form.get("theme"))) };
  if (form.has(enhancedField)) return json({ ok: true }, { headers });
  return redirect(localPath(form.get("from")), { status: 303, headers });
}

/** Only a path of this application; anything else leads to the start. */
function localPath(value: FormDataEntryValue | null): string {
  return typeof value === "string" && /^\/(?![/\\])[^\\]*$/.test(value) ? value : "/";
}
