import { randomBytes } from "node:crypto";
import { json, type MetaFunction } from "@remix-run/node";
import { useLoaderData } from "@remix-run/react";
import { roles } from "~/contract/account";
import { ContractError } from "~/contract/errors";
import { adminListUsers, adminUpdateUser } from "~/domain/accounts/operations.server";
import { resetPasswordOf } from "~/domain/accounts/reset-password-of.server";
import { done, runIntent, textOf } from "~/http/form-action.server";
import { pageAction, pageLoader, requireWriter } from "~/http/page-guards.server";
import { readId } from "~/http/read-id.server";
import { requireAdmin } from "~/http/require-admin.server";
import { ButtonLink } from "~/ui/button";
import { Section } from "~/ui/card";
import { Notice } from "~/ui/notice";
import { CopyBlock } from "~/ui/rare/copy-button";
import { Table } from "~/ui/rare/table";
import { useAnswer } from "~/ui/use-answer";
import { UserRow } from "./user-row";

export { shouldRevalidate } from "~/live/unreachable";

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
  const userId = readId(form, "user_id", "user");
  return runIntent(form, {
    role: async () => {
      const role = roles.find((known) => known === textOf(form, "role"));
      if (!role) throw new ContractError(422, "Choose a role.");
      await adminUpdateUser(actor, { user_id: userId, role });
      return done(form, here, "Role changed");
    },
    demo: async () => {
      await adminUpdateUser(actor, {
        user_id: userId,
        is_demo: textOf(form, "is_demo") === "true",
      });
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
  const answer = useAnswer<{ temporary?: { userId: string; password: string } }>();
  const temporary = answer?.temporary;
  const name = users.find((user) => user.id === temporary?.userId)?.username;
  const last = users.at(-1);
  return (
    <div className="grid gap-4">
      {temporary ? (
        <Notice tone="done" role="status" title={`Temporary password of ${name ?? "the user"}`}>
          <p className="mb-2">
            It is shown only once. They must choose a new password at the next sign-in. All their
            sessions have ended.
          </p>
          <CopyBlock label="Temporary password" text={temporary.password} />
        </Notice>
      ) : null}
      <Section title="Users" flush>
        <Table
          stacked
          caption="Users"
          head={["User", "E-mail address", "Role", "Demo", "Last seen", "Password"]}
        >
          {users.map((user) => (
            <UserRow key={user.id} user={user} isOwn={user.id === ownId} />
          ))}
        </Table>
      </Section>
      {last && users.length === 100 ? (
        <ButtonLink
          to={`?after=${encodeURIComponent(last.username)}`}
          className="justify-self-start"
        >
          More
        </ButtonLink>
      ) : null}
    </div>
  );
}
