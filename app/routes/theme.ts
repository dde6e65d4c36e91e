import { type ActionFunctionArgs, json, redirect } from "@remix-run/node";
import { findActor } from "~/http/page-guards.server";
import { safeRedirect } from "~/http/redirects.server";
import { updateProfile } from "~/nouns/accounts/operations.server";
import { enhancedField } from "~/ui/form-fields";
import { parseTheme, themeCookie } from "~/ui/theme";

const profileThemes = { system: "SYSTEM", light: "LIGHT", dark: "DARK" } as const;

export function loader() {
  return redirect("/");
}

/** A cookie, for signed-out users too, so that the first paint is right; and in the account, for the next browser. */
export async function action({ request, context }: ActionFunctionArgs) {
  const form = await request.formData();
  const theme = parseTheme(form.get("theme"));
  const headers = { "Set-Cookie": themeCookie(theme) };
  const found = await findActor(request, context);
  if (found && !found.principal.is_demo) {
    await updateProfile(found.actor, { theme: profileThemes[theme] });
  }
  if (form.has(enhancedField)) return json({ ok: true }, { headers });
  return redirect(safeRedirect(form.get("from")), { status: 303, headers });
}
