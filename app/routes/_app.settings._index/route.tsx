import { json, type MetaFunction } from "@remix-run/node";
import { Form, useFetcher, useLoaderData } from "@remix-run/react";
import { useState } from "react";
import { useHydrated } from "remix-utils/use-hydrated";
import { NewPasswordField } from "~/features/accounts/new-password-field";
import { done, runForm, runIntent } from "~/http/form-action.server";
import { personLoader, writeAction } from "~/http/page-guards.server";
import { setAvatar } from "~/nouns/accounts/avatar.server";
import { getProfile, updateProfile } from "~/nouns/accounts/operations.server";
import { changePassword } from "~/nouns/accounts/passwords.server";
import { ActionForm, PressForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Avatar } from "~/ui/avatar";
import { Badge } from "~/ui/badge";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { CheckField, FieldErrors, HiddenFields, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { characterKeysOn, switchCharacterKeys } from "~/ui/page-keys";
import { themes, useTheme } from "~/ui/theme";
import { WriteFields } from "~/ui/write-access";
import { type Profile, passwordChangeSchema, profileChangesSchema } from "~/wire/accounts/contract";
import { ContractError } from "~/wire/errors";
import { CompanyAccount } from "./company-account";
import { companyAccountOf } from "./company-account.server";

const here = "/settings";

export const loader = personLoader(async ({ actor, principal, context }) => {
  // More than one call: the company account is read by the service, not by the person.
  const [profile, company] = await Promise.all([getProfile(actor), companyAccountOf(context, principal)]);
  return json({ profile, company });
});

export const action = writeAction(async ({ actor, principal, form, context }) =>
  runIntent(form, {
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
  }),
);

export const meta: MetaFunction = () => [{ title: "Profile · Backloom" }];

export default function ProfilePage() {
  const { profile, company } = useLoaderData<typeof loader>();
  return (
    <div className="grid max-w-3xl gap-5">
      <ProfileForm profile={profile} />
      <AvatarForm profile={profile} />
      <AppearanceForm />
      <KeysForm />
      <PasswordForm />
      {company ? <CompanyAccount company={company} /> : null}
    </div>
  );
}

const labels = { system: "System", light: "Light", dark: "Dark" } as const;

function AppearanceForm() {
  const current = useTheme();
  return (
    <Section title="Appearance" about="Applies to this browser and to browsers you sign in with later.">
      <ActionForm action="/theme" className="flex flex-wrap gap-2" aria-label="Appearance">
        <HiddenFields fields={{ from: "/settings" }} />
        {themes.map((theme) => (
          <Button
            key={theme}
            type="submit"
            name="theme"
            value={theme}
            aria-pressed={theme === current}
            tone={theme === current ? "primary" : "plain"}
          >
            {labels[theme]}
          </Button>
        ))}
      </ActionForm>
    </Section>
  );
}

function AvatarForm({ profile }: { profile: Profile }) {
  const answer = useActionResult<{ error?: unknown }>();
  const error = typeof answer?.error === "string" ? [answer.error] : undefined;
  return (
    <Section title="Picture" about="PNG, JPEG, WebP or GIF, at most 512 KiB.">
      <WriteFields quiet className="flex flex-wrap items-center gap-4">
        <Avatar name={profile.username} src={profile.has_avatar ? "/settings/avatar" : null} size="lg" />
        <Form
          method="post"
          action="/settings?index"
          encType="multipart/form-data"
          className="flex flex-wrap items-center gap-3"
        >
          <input type="hidden" name="intent" value="avatar" />
          <label className="grid gap-1 text-sm">
            <span className="sr-only">Picture file</span>
            <input
              type="file"
              name="picture"
              accept="image/png,image/jpeg,image/webp,image/gif"
              required
              aria-describedby="picture-error"
              className="max-w-72 text-sm text-muted file:mr-3 file:h-8 file:rounded file:border file:border-line file:bg-raised file:px-3 file:text-ink"
            />
          </label>
          <SubmitButton tone="plain">Save picture</SubmitButton>
        </Form>
        {profile.has_avatar ? (
          <PressForm action="/settings?index" fields={{ intent: "remove-avatar" }} tone="quiet">
            Remove
          </PressForm>
        ) : null}
      </WriteFields>
      <FieldErrors id="picture-error" errors={error} />
    </Section>
  );
}

/** Keyboard shortcuts need JavaScript, and so does this setting. */
function KeysForm() {
  const hydrated = useHydrated();
  return hydrated ? (
    <Section title="Keyboard shortcuts" about="Applies to this browser.">
      <CharacterKeys />
    </Section>
  ) : null;
}

function CharacterKeys() {
  const [on, setOn] = useState(characterKeysOn);
  return (
    <CheckField
      name="character_keys"
      label="Single-letter shortcuts"
      description="When this is off, only shortcuts with Ctrl or Alt, arrows, Enter and Esc work. Turn it off if you use speech input or press letters by accident."
      checked={on}
      onChange={({ currentTarget }) => {
        switchCharacterKeys(currentTarget.checked);
        setOn(currentTarget.checked);
      }}
    />
  );
}

/** Reads the chosen picture. Its type is detected from the bytes alone. */
async function readPicture(form: FormData): Promise<Uint8Array> {
  const file = form.get("picture");
  if (file instanceof File && file.size > 0) return new Uint8Array(await file.arrayBuffer());
  throw new ContractError(422, "Choose a picture first.");
}

function PasswordForm() {
  const fetcher = useFetcher();
  const form = useServerForm<"current_password" | "new_password">({ lastResult: fetcher.data, id: "password" });
  return (
    <Section title="Password" about="A new password signs you out on every other device.">
      <ServerForm fields={{ intent: "password" }} form={form} fetcher={fetcher} action="/settings?index">
        <WriteFields quiet className="grid gap-4">
          <TextField
            label="Current password"
            type="password"
            autoComplete="current-password"
            required
            {...form.field("current_password")}
          />
          <NewPasswordField {...form.field("new_password")} />
          <Save fetcher={fetcher} label="Change password" pendingLabel="Changing…" />
        </WriteFields>
      </ServerForm>
    </Section>
  );
}

function ProfileForm({ profile }: { profile: Profile }) {
  const fetcher = useFetcher();
  const form = useServerForm<"username" | "min_quota_pct">({
    lastResult: fetcher.data,
    defaultValue: { username: profile.username, min_quota_pct: String(profile.min_quota_pct) },
    id: "profile",
  });
  return (
    <Section title="Profile" about={profile.email}>
      <ServerForm fields={{ intent: "profile" }} form={form} fetcher={fetcher} action="/settings?index">
        <WriteFields quiet className="grid gap-4">
          <div className="flex gap-2">
            <Badge>{profile.role === "ADMIN" ? "administrator" : "developer"}</Badge>
            {profile.is_demo ? <Badge tone="accent">demo</Badge> : null}
          </div>
          <TextField
            label="Username"
            description="Shown to others, and used to sign in."
            autoComplete="username"
            required
            {...form.field("username")}
          />
          <TextField
            label="Worker quota threshold (%)"
            description="Workers with less remaining quota than this get no new jobs from you."
            type="number"
            min={1}
            max={100}
            required
            className="max-w-28"
            {...form.field("min_quota_pct")}
          />
          <Save fetcher={fetcher} label="Save profile" pendingLabel="Saving…" />
        </WriteFields>
      </ServerForm>
    </Section>
  );
}

type SaveProps = Record<"label" | "pendingLabel", string> & { fetcher: ReturnType<typeof useFetcher> };

/** Says next to the button that the form was saved; screen readers announce it. */
function Save({ fetcher: { state, data }, label, pendingLabel }: SaveProps) {
  const message = typeof data === "object" && data !== null && "message" in data ? data.message : undefined;
  return (
    <div className="flex items-center gap-3">
      <SubmitButton pending={state !== "idle"} pendingLabel={pendingLabel}>
        {label}
      </SubmitButton>
      <p role="status" className="text-sm text-done">
        {typeof message === "string" ? message : ""}
      </p>
    </div>
  );
}
