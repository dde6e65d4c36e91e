import { causeLabels } from "~/features/lessons/lesson-parts";
import { Fact, Facts as FactList, Section } from "~/ui/card";
import { countText } from "~/ui/numbers";
import { durationText } from "~/ui/relative-time";
import type { Retrospective as Facts } from "~/wire/sprints/contract";

const waitLabels = { question: "answer", review: "review" } as const;

/** What the team can talk about: from the data alone, without a model. */
export function Retrospective({ facts }: { facts: Facts }) {
  const { returns, waits, estimates, lessons } = facts;
  const isEmpty = returns.length + waits.length + estimates.tasks + lessons.length === 0;
  if (isEmpty) {
    return (
      <Section title="Retrospective" about="What to discuss, counted while the sprint ran.">
        <p className="text-sm text-muted">
          Nothing yet. Work that came back, waits for people, estimates and lessons appear here.
        </p>
      </Section>
    );
  }
  return (
    <Section title="Retrospective" about="What to discuss, counted while the sprint ran.">
      <FactList>
        <Fact term="Work that came back">
          {returns.length === 0
            ? "None"
            : returns.map(({ cause, tasks, times }) => (
                <span key={cause} className="block">
                  {countText(tasks, "task")}, {countText(times, "time")}: {causeLabels[cause]}
                </span>
              ))}
        </Fact>
        <Fact term="Waited for people">
          {waits.length === 0
            ? "Nothing"
            : waits.map(({ reason, times, seconds }) => (
                <span key={reason} className="block">
                  {durationText(seconds * 1_000)} for {countText(times, waitLabels[reason])}
                </span>
              ))}
        </Fact>
        <Fact term="Estimated and actual">
          {estimates.tasks === 0
            ? "No estimated task was finished"
            : `${durationText(estimates.estimated_minutes * 60_000)} and ${durationText(estimates.actual_minutes * 60_000)} for ${countText(estimates.tasks, "task")}`}
        </Fact>
      </FactList>
      <h3 className="mt-4 mb-1 text-sm font-medium">Lessons accepted</h3>
      {lessons.length === 0 ? (
        <p className="text-sm text-muted">None in this sprint.</p>
      ) : (
        <ul className="grid list-disc gap-1 pl-5 text-sm">
          {lessons.map((lesson) => (
            <li key={lesson} className="break-words">
              {lesson}
            </li>
          ))}
        </ul>
      )}
    </Section>
  );
}
