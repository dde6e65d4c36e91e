import { useFetcher } from "@remix-run/react";
import type { Profile } from "~/nouns/accounts/contract";
import { Badge } from "~/ui/badge";
import { SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { HiddenFields, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { WriteFields } from "~/ui/write-access";

export function ProfileForm({ profile }: { profile: Profile }) {
  const fetcher = useFetcher();
  const form = useServerForm<"username" | "min_quota_pct">({
    lastResult: fetcher.data,
    defaultValue: { username: profile.username, min_quota_pct: String(profile.min_quota_pct) },
    id: "profile",
  });
  return (
    <Section title="Profile" about={profile.email}>
      <ServerForm form={form} fetcher={fetcher} action="/settings?index">
        <HiddenFields fields={{ intent: "profile" }} />
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
          <div className="flex items-center gap-3">
            <SubmitButton pending={fetcher.state !== "idle"} pendingLabel="Saving…">
              Save profile
            </SubmitButton>
            <SavedNotice data={fetcher.data} />
          </div>
        </WriteFields>
      </ServerForm>
    </Section>
  );
}

/** Says next to the button that the form was saved; screen readers announce it. */
export function SavedNotice({ data }: { data: unknown }) {
  const message =
    typeof data === "object" && data !== null && "message" in data ? data.message : undefined;
  return (
    <p role="status" className="text-sm text-done">
      {typeof message === "string" ? message : ""}
    </p>
  );
}
