import { Link } from "@remix-run/react";
import type { BoardStory } from "~/contract/page-data";
import { FreshRows } from "~/features/items/lists/fresh-rows";
import { useSteadyRows } from "~/features/items/lists/use-steady-rows";
import { ActionForm } from "~/ui/action-form";
import { CodeChip } from "~/ui/badge";
import { Button } from "~/ui/button";
import { Section } from "~/ui/card";
import { WriteFields } from "~/ui/write-access";

const storyKey = ({ id }: BoardStory) => id;

/** Stories of the sprint, each with the one thing that somebody can do with it here. */
export function SoloStories({
  title,
  stories,
  intent,
  button,
  empty,
}: {
  title: string;
  stories: readonly BoardStory[];
  intent: string;
  button: string;
  empty: string;
}) {
  const { list, shown, fresh, show } = useSteadyRows<BoardStory, HTMLUListElement>(
    stories,
    storyKey,
  );
  return (
    <Section title={`${title} (${stories.length})`} flush>
      <FreshRows count={fresh} show={show} />
      <ul ref={list} className="divide-y divide-line">
        {shown.map((story) => (
          <li key={story.id} className="flex items-center gap-2 px-4 py-2 text-sm">
            <CodeChip>{story.code}</CodeChip>
            <Link to={`/stories/${story.id}`} className="min-w-0 flex-1 truncate hover:underline">
              {story.title}
            </Link>
            <WriteFields quiet>
              <ActionForm>
                <input type="hidden" name="intent" value={intent} />
                <input type="hidden" name="assignee_id" value="" />
                <Button type="submit" size="sm" name="story_id" value={story.id}>
                  {button}
                  <span className="sr-only"> {story.code}</span>
                </Button>
              </ActionForm>
            </WriteFields>
          </li>
        ))}
        {stories.length === 0 ? <li className="px-4 py-3 text-sm text-muted">{empty}</li> : null}
      </ul>
    </Section>
  );
}
