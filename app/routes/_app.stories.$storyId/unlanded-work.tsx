import type { StoryPageData } from "~/contract/page-data";
import { BeginsFrom, FreshStarts, StartOver } from "~/features/runs/start-over";
import { Section } from "~/ui/card";

/** What was done for the story and has not landed: the next run begins there, unless somebody starts over. */
export function UnlandedWork({ page }: { page: StoryPageData }) {
  const { story, begins_from, fresh_starts } = page;
  if (begins_from.length === 0 && fresh_starts.length === 0) return null;
  return (
    <Section title="Next run">
      <div className="grid justify-items-start gap-2 text-sm">
        {begins_from.length > 0 ? (
          <>
            <BeginsFrom from={begins_from} />
            <StartOver whose={story.code} />
          </>
        ) : (
          <p>Starts from main.</p>
        )}
        <FreshStarts starts={fresh_starts} />
      </div>
    </Section>
  );
}
