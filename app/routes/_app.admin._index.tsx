import { randomBytes } from "node:crypto";
import { json, type MetaFunction } from "@remix-run/node";
import { Form, useLoaderData } from "@remix-run/react";
import { done, runIntent, textOf } from "~/http/form-action.server";
import { pageAction, pageLoader, requireAdmin, requireWriter } from "~/http/page-guards.server";
import { adminListUsers, adminUpdateUser } from "~/nouns/accounts/operations.server";
import { resetPasswordOf } from "~/nouns/accounts/passwords.server";
import { PressForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Alert } from "~/ui/alert";
import { Badge } from "~/ui/badge";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { Confirm } from "~/ui/confirm";
import { CopyBlock } from "~/ui/copy-button";
import { HiddenFields } from "~/ui/field";
import { RelativeTime } from "~/ui/relative-time";
import { Cell, Table } from "~/ui/table";
import { type ManagedUser, roles } from "~/wire/accounts/contract";
import { canonicalId } from "~/wire/canonical-id";
import { ContractError } from "~/wire/errors";

const here = "/admin";

export const loader = pageLoader(async ({ request, context }) => {
  const { actor, principal } = await requireAdmin(request, context);
  const after = new URL(request.url).searchParams.get("after");
  return json({ users: await adminListUsers(actor, { after }), ownId: principal.user_id });
});

export const action = pageAction(async ({ request, context }) => {
  await requireWriter(request, context);
  const { actor, principal } = await requireAdmin(request, context);
  const form = await request.formData();
  const userId = canonicalId(textOf(form, "user_id"));
  return runIntent(form, {
    role: async () => {
      const role = roles.find((known) => known === textOf(form, "role"));
      if (!role) throw new ContractError(422, "Choose a role.");
      await adminUpdateUser(actor, { user_id: userId, role });
      return done(form, here, "Role changed");
    },
    demo: async () => {
      await adminUpdateUser(actor, { user_id: userId, is_demo: textOf(form, "is_demo") === "true" });
      return done(form, here, "Demo flag changed");
    },
    reset: async () => {
      const password = randomBytes(12).toString("base64url");
      const { database } = context.services;
      await resetPasswordOf(database, { userId, password, actorId: principal.user_id });
      return json({ temporary: { userId, password } });
    },
  });
});

export const meta: MetaFunction = () => [{ title: "Users · Backloom" }];

export default function UsersPage() {
  const { users, ownId } = useLoaderData<typeof loader>();
  const answer = useActionResult<{ temporary?: { userId: string; password: string } }>();
  const temporary = answer?.temporary;
  const name = users.find((user) => user.id === temporary?.userId)?.username;
  const last = users.at(-1);
  return (
    <div className="grid gap-4">
      {temporary ? (
        <Alert tone="done" role="status" title={`Temporary password of ${name ?? "the user"}`}>
          <p className="mb-2">
            It is shown only once. They must choose a new password at the next sign-in. All their sessions have ended.
          </p>
          <CopyBlock label="Temporary password" text={temporary.password} />
        </Alert>
      ) : null}
      <Section title="Users" flush>
        <Table stacked caption="Users" head={["User", "Email address", "Role", "Demo", "Last seen", "Password"]}>
          {users.map((user) => (
            <UserRow key={user.id} user={user} isOwn={user.id === ownId} />
          ))}
        </Table>
      </Section>
      {last && users.length === 100 ? (
        <ButtonLink to={`?after=${encodeURIComponent(last.username)}`} className="justify-self-start">
          More
        </ButtonLink>
      ) : null}
    </div>
  );
}

const ownAddress = "/admin?index";

function UserRow({ user, isOwn }: { user: ManagedUser; isOwn: boolean }) {
  const isAdmin = user.role === "ADMIN";
  return (
    <tr>
      <Cell className="font-medium">
        {user.username} {isOwn ? <Badge tone="accent">you</Badge> : null}
      </Cell>
      <Cell label="Email" className="text-muted">
        {user.email}
      </Cell>
      <Cell label="Role">
        <span className="flex flex-wrap items-center gap-x-1 whitespace-nowrap">
          {isAdmin ? "Administrator" : "Developer"}
          <PressForm
            action={ownAddress}
            fields={{ intent: "role", user_id: user.id, role: isAdmin ? "DEVELOPER" : "ADMIN" }}
            size="sm"
            tone="quiet"
          >
            {isAdmin ? "Make developer" : "Make administrator"}
          </PressForm>
        </span>
      </Cell>
      <Cell label="Demo">
        <span className="flex flex-wrap items-center gap-2">
          {user.is_demo ? <Badge tone="accent">demo</Badge> : "no"}
          <PressForm
            action={ownAddress}
            fields={{ intent: "demo", user_id: user.id, is_demo: String(!user.is_demo) }}
            size="sm"
            tone="quiet"
          >
            {user.is_demo ? "Remove demo" : "Make demo"}
          </PressForm>
        </span>
      </Cell>
      <Cell label="Last seen" className="text-muted">
        {user.last_seen_at ? <RelativeTime at={user.last_seen_at} /> : "never"}
      </Cell>
      <Cell label="Password">
        {user.must_reset_password ? <Badge tone="waiting">must change it</Badge> : null}
        <Confirm
          trigger="Reset"
          size="sm"
          question={`Reset the password of ${user.username}?`}
          consequence="All their sessions end. You get a temporary password to give them."
          confirmLabel="Reset password"
        >
          {(buttons) => (
            <Form method="post" action={ownAddress}>
              <HiddenFields fields={{ intent: "reset", user_id: user.id }} />
              {buttons}
            </Form>
          )}
        </Confirm>
      </Cell>
    </tr>
  );
}
