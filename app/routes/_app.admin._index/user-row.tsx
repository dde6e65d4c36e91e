import { Form } from "@remix-run/react";
import type { ManagedUser } from "~/contract/account";
import { ActionForm } from "~/ui/action-form";
import { Badge } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/confirm";
import { Cell } from "~/ui/rare/table";
import { RelativeTime } from "~/ui/relative-time";

const action = "/admin?index";

/** One user with what an administrator may change. */
export function UserRow({ user, isOwn }: { user: ManagedUser; isOwn: boolean }) {
  const isAdmin = user.role === "ADMIN";
  return (
    <tr>
      <Cell className="font-medium">
        {user.username} {isOwn ? <Badge tone="accent">you</Badge> : null}
      </Cell>
      <Cell label="E-mail" className="text-muted">
        {user.email}
      </Cell>
      <Cell label="Role">
        <span className="flex flex-wrap items-center gap-x-1 whitespace-nowrap">
          {isAdmin ? "Administrator" : "Developer"}
          <ActionForm action={action}>
            <input type="hidden" name="intent" value="role" />
            <input type="hidden" name="user_id" value={user.id} />
            <input type="hidden" name="role" value={isAdmin ? "DEVELOPER" : "ADMIN"} />
            <Button type="submit" size="sm" tone="quiet">
              {isAdmin ? "Make developer" : "Make administrator"}
            </Button>
          </ActionForm>
        </span>
      </Cell>
      <Cell label="Demo">
        <span className="flex flex-wrap items-center gap-2">
          {user.is_demo ? <Badge tone="accent">demo</Badge> : "no"}
          <ActionForm action={action}>
            <input type="hidden" name="intent" value="demo" />
            <input type="hidden" name="user_id" value={user.id} />
            <input type="hidden" name="is_demo" value={String(!user.is_demo)} />
            <Button type="submit" size="sm" tone="quiet">
              {user.is_demo ? "Remove demo" : "Make demo"}
            </Button>
          </ActionForm>
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
            <Form method="post" action={action}>
              <input type="hidden" name="intent" value="reset" />
              <input type="hidden" name="user_id" value={user.id} />
              {buttons}
            </Form>
          )}
        </Confirm>
      </Cell>
    </tr>
  );
}
