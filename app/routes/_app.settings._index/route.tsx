import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { passwordChangeSchema, profileChangesSchema } from "~/contract/account";
import { changePassword } from "~/domain/accounts/change-password.server";
import { getProfile, updateProfile } from "~/domain/accounts/operations.server";
import { setAvatar } from "~/domain/accounts/set-avatar.server";
import { done, runForm, runIntent } from "~/http/form-action.server";
import { pageAction, pageLoader, requireActor, requireWriter } from "~/http/page-guards.server";
import { AppearanceForm } from "./appearance-form";
import { AvatarForm } from "./avatar-form";
import { KeysForm } from "./keys-form";
import { PasswordForm } from "./password-form";
import { ProfileForm } from "./profile-form";
import { readPicture } from "./read-picture.server";

export { shouldRevalidate } from "~/live/unreachable";

const here = "/settings";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor } = await requireActor(request, context);
  return json({ profile: await getProfile(actor) });
});

export const action = pageAction(async ({ request, context }) => {
  const { actor, principal } = await requireWriter(request, context);
  const form = await request.formData();
  return runIntent(form, {
    profile: () =>
      runForm(form, profileChangesSchema, async (changes) => {
        await updateProfile(actor, changes);
        return done(form, here, "Profile saved");
      }),
    password: () =>
      runForm(form, passwordChangeSchema, async (change) => {
        const { database } = context.services;
        await changePassword(database, principal, change, context.clientAddress);
        return done(form, here, "Password changed. All other devices are signed out.");
      }),
    avatar: async () => {
      await setAvatar(actor, await readPicture(form));
      return done(form, here, "Picture saved");
    },
    "remove-avatar": async () => {
      await setAvatar(actor, null);
      return done(form, here, "Picture removed");
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Profile · Backloom" }];

export default function ProfilePage() {
  const { profile } = useLoaderData<typeof loader>();
  return (
    <div className="grid max-w-3xl gap-5">
      <ProfileForm profile={profile} />
      <AvatarForm profile={profile} />
      <AppearanceForm />
      <KeysForm />
      <PasswordForm />
    </div>
  );
}
