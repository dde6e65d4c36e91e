import { Form } from "@remix-run/react";
import { ActionForm } from "~/components/action-form";
import { Avatar } from "~/components/avatar";
import { Button, SubmitButton } from "~/components/button";
import { Section } from "~/components/card";
import { FieldErrors } from "~/components/field";
import { useAnswer } from "~/components/use-answer";
import { WriteFields } from "~/components/write-access";
import type { Profile } from "~/contract/account";

export function AvatarForm({ profile }: { profile: Profile }) {
  const answer = useAnswer<{ error?: unknown }>();
  const error = typeof answer?.error === "string" ? [answer.error] : undefined;
  return (
    <Section title="Picture" about="PNG, JPEG, WebP or GIF, at most 512 KiB.">
      <WriteFields quiet className="flex flex-wrap items-center gap-4">
        <Avatar
          name={profile.username}
          src={profile.has_avatar ? "/settings/avatar" : null}
          size="lg"
        />
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
          <ActionForm action="/settings?index">
            <input type="hidden" name="intent" value="remove-avatar" />
            <Button type="submit" tone="quiet">
              Remove
            </Button>
          </ActionForm>
        ) : null}
      </WriteFields>
      <FieldErrors id="picture-error" errors={error} />
    </Section>
  );
}
