import { Link, useFetcher } from "@remix-run/react";
import { ActionForm } from "~/ui/action-form";
import { useActionResult } from "~/ui/action-result";
import { Button, SubmitButton } from "~/ui/button";
import { Section } from "~/ui/card";
import { SelectField, TextField } from "~/ui/field";
import { ServerForm, useServerForm } from "~/ui/forms/server-form";
import { WriteFields } from "~/ui/write-access";
import { missedChoices, type Recurrence } from "~/wire/recurrences/contract";

/** A recurrence for the page. Its next dates are already formatted in the schedule's time zone. */
export interface ShownRecurrence {
  recurrence: (Recurrence & { next: readonly string[] }) | null;
  template: { id: string; code: string; title: string } | null;
}

/** The schedule of a template; on a story made by one, a link to the template. */
export function RecurrenceSection({ recurrence, template }: ShownRecurrence) {
  // Without JavaScript, errors of the form must not be folded away.
  const open = isOfSchedule(useActionResult());
  if (template) {
    return (
      <Section title="Recurring">
        <p className="text-sm">
          Made by{" "}
          <Link to={`/stories/${template.id}`} className="text-accent underline">
            {template.code} <bdi>{template.title}</bdi>
          </Link>
        </p>
      </Section>
    );
  }
  return (
    <Section
      id="recurring"
      title="Recurring"
      about={
        recurrence
          ? "This story is a template. At each time below it makes a copy of itself, in the active sprint or the backlog, unless the last copy is not done. Agents are never given the template."
          : undefined
      }
    >
      {recurrence ? <Schedule recurrence={recurrence} /> : null}
      <WriteFields quiet>
        <details open={open || undefined}>
          <summary className="text-sm text-accent underline underline-offset-2 hover:decoration-2">
            {recurrence ? "Change the schedule" : "Repeat this story"}
          </summary>
          <ScheduleForm recurrence={recurrence} />
        </details>
        {recurrence ? (
          <ActionForm className="mt-3" fields={{ intent: "stop-recurring" }}>
            <Button type="submit" size="sm">
              Stop repeating
            </Button>
          </ActionForm>
        ) : null}
      </WriteFields>
    </Section>
  );
}

function Schedule({ recurrence }: { recurrence: NonNullable<ShownRecurrence["recurrence"]> }) {
  const { cron, zone, next, last } = recurrence;
  return (
    <div className="mb-3 grid gap-2 text-sm">
      <p>
        <code>{cron}</code> in {zone}
      </p>
      <ol aria-label="Next times" className="grid gap-0.5">
        {next.map((time) => (
          <li key={time}>{time}</li>
        ))}
      </ol>
      {last ? <LastSlot last={last} /> : null}
    </div>
  );
}

const whyNone = {
  fired: "made a story that was deleted since",
  open: "made nothing: the copy before was not done",
  budget: "made nothing: a budget of the product was used up",
  missed: "was missed and skipped",
} as const;

function LastSlot({ last }: { last: NonNullable<Recurrence["last"]> }) {
  return (
    <p className="text-xs text-muted">
      The last time{" "}
      {last.story_id ? (
        <>
          made{" "}
          <Link to={`/stories/${last.story_id}`} className="text-accent underline">
            {last.story_code}
          </Link>
        </>
      ) : (
        whyNone[last.outcome]
      )}
      .
    </p>
  );
}

const missedLabels = { once: "Make one copy when it starts again", skip: "Skip it" } as const;

function ScheduleForm({ recurrence }: { recurrence: ShownRecurrence["recurrence"] }) {
  const fetcher = useFetcher();
  const sent = useActionResult();
  const form = useServerForm<"cron" | "zone" | "missed">({
    lastResult: fetcher.data ?? (isOfSchedule(sent) ? sent : undefined),
    id: "recurrence-form",
    defaultValue: { cron: recurrence?.cron, zone: recurrence?.zone ?? "UTC", missed: recurrence?.missed ?? "once" },
  });
  return (
    <ServerForm fields={{ intent: "set-recurrence" }} form={form} fetcher={fetcher} className="mt-3 grid gap-3">
      <TextField
        label="Cron line"
        required
        mono
        placeholder="0 9 * * 1"
        description="Minute, hour, day, month, weekday. 0 9 * * 1 is every Monday at 09:00."
        {...form.field("cron")}
      />
      <TextField
        label="Time zone"
        required
        placeholder="Europe/Berlin"
        description="Daylight saving time does not change the time of day."
        {...form.field("zone")}
      />
      <SelectField
        label="If the service was not running at that time"
        options={missedChoices.map((value) => ({ value, label: missedLabels[value] }))}
        {...form.field("missed")}
      />
      <div>
        <SubmitButton pendingLabel="Saving…">{recurrence ? "Save schedule" : "Make it recurring"}</SubmitButton>
      </div>
    </ServerForm>
  );
}

/** Whether the action result belongs to this form: without JavaScript, all forms share one result. */
function isOfSchedule(answer: unknown): boolean {
  if (typeof answer !== "object" || answer === null || !("initialValue" in answer)) return false;
  const { initialValue } = answer;
  return typeof initialValue === "object" && initialValue !== null && "cron" in initialValue;
}
