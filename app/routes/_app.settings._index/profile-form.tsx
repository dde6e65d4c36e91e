import { useFetcher } from "@remix-run/react";
import { Badge } from "~/components/badge";
import { SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { TextField } from "~/components/field";
import { ServerForm, useServerForm } from "~/components/server-form";
import { WriteFields } from "~/components/write-access";
import type { Profile } from "~/contract/account";
import { SavedNotice } from "./saved-notice";

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
        <input type="hidden" name="intent" value="profile" />
        <WriteFields quiet className="grid gap-4">
          <div className="flex gap-2">
            <Badge>{profile.role === "ADMIN" ? "administrator" : "developer"}</Badge>
            {profile.is_demo ? <Badge tone="accent">demo</Badge> : null}
          </div>
          <TextField
            label="User name"
            description="What others see, and what you sign in with."
            autoComplete="username"
            required
            {...form.field("username")}
          />
          <TextField
            label="Worker quota threshold (%)"
            description="A worker whose remaining quota is under this gets no new job of yours."
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
