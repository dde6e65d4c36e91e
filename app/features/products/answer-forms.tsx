import { ActionForm } from "~/ui/action-form";
import { Button } from "~/ui/button";
import { HiddenFields } from "~/ui/field";

/** Accept and Decline for an invitation. */
export function AnswerForms({ id, product }: { id: string; product: string }) {
  return (
    <ActionForm
      action="/inbox?show=invitations"
      className="flex flex-wrap gap-2"
      aria-label={`Invitation to ${product}`}
    >
      <HiddenFields fields={{ invitation_id: id }} />
      <Button type="submit" tone="primary" name="intent" value="accept">
        Accept
      </Button>
      <Button type="submit" tone="quiet" name="intent" value="decline">
        Decline
      </Button>
    </ActionForm>
  );
}
