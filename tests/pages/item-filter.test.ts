import { expect, it } from "vitest";
import { readSettings, viewOf } from "~/features/board/board-view.server";
import { getSprintBoard } from "~/nouns/pages/operations.server";
import { setTaskStatus } from "~/nouns/tasks/operations.server";
import { type FilterItem, matchesFilter, readFilter } from "~/wire/item-filter";
import { startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";

const t = await createTestDatabase();

const item: FilterItem = {
  code: "T-7",
  title: "Fold a plane",
  status: "in_progress",
  priority: 2,
  assignee: ["ada-id", "Ada"],
  labels: ["Bug", "Needs design"],
  story: "ST-1",
  is: ["running"],
};
const matches = (query: string, changed: Partial<FilterItem> = {}) =>
  matchesFilter(readFilter(query), { ...item, ...changed }, "ada-id");

it.each([
  "",
  "fold A",
  "plane fold",
  "needs-design",
  "design ada fold",
  "t-7",
  "status:in-progress",
  "status:todo,in_progress",
  "-status:done",
  "priority:<3",
  "priority:2",
  "priority:>=2 priority:<=2",
  "assignee:me",
  "assignee:ADA",
  "sprint:none",
  "story:st-1 is:running plane",
  "label:bug",
  "label:needs-design,docs -label:none",
])("The filter %j matches the example task", (query) => expect(matches(query)).toBe(true));

it.each(
  `unfold | ada-id | running | status:done | -status:in_progress | priority:<2 | priority:many |
    assignee:none | assignee:bob | sprint:SP-1 | worker:loom | is:waiting | label:docs | -label:BUG |
    label:none | fold status:todo`.split(/\s*\|\s*/),
)("The filter %j does not match the example task", (query) => expect(matches(query)).toBe(false));

it("A filter treats an unknown field and a bare colon as words", () => {
  expect(matches("http://x")).toBe(false);
  expect(matches("note: fold", { title: "note: fold it" })).toBe(true);
});

it("a board shows what matches, in the order of its groups, and counts the rest", async () => {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const backlog = await t.seedBacklog(owner);
  await setTaskStatus(actor, { task_id: backlog.secondTask.id, status: "review" });
  const { tasks, stories } = await getSprintBoard(actor, { sprint_id: backlog.sprint.id });
  const look = (address: string) => readSettings(new URLSearchParams(address));
  const view = viewOf(tasks, stories, look("q=status:review&group=assignee"), owner.id);
  expect(view.tasks.map(({ code }) => code)).toEqual(["T-2"]);
  expect(view.lanes).toEqual([{ key: "-", label: "Unassigned", sets: { assignee_id: "" } }]);
  expect(view.tasks.map(({ group }) => group)).toEqual(["-"]);
  expect(view.hidden).toBe(1);
  expect(viewOf(tasks, stories, look(""), owner.id)).toMatchObject({ hidden: 0 });
  const shown = { query: "", group: "", list: true, dense: true, hide: "", fold: "" };
  expect(look("as=list&dense=1&group=nonsense")).toEqual(shown);
  expect(look("hide=proof&hide=story,nonsense").hide).toBe("story proof");
});

it("The display form redirects to an address that names what is hidden, without script too", async () => {
  const owner = await t.createUser();
  const app = await startTestApp(t, { pages: true });
  const cookie = await app.signIn(owner);
  const { id } = await t.seedProduct(owner);
  const goesTo = async (form: string) => {
    const init = { headers: { cookie }, redirect: "manual" } as const;
    const place = `/products/${id}/backlog`;
    const answer = await app.request(`${place}?${form}`, init);
    return answer.headers.get("location")?.replace(place, "");
  };
  expect(await goesTo("q=a&show=&show=labels&show=count")).toBe("?q=a&hide=sprint%2Cpull");
  expect(await goesTo("show=")).toBe("?hide=labels%2Csprint%2Ccount%2Cpull");
  expect(await goesTo("show=&show=labels&show=sprint&show=count&show=pull&hide=count")).toBe("");
  expect(await goesTo("hide=labels")).toBeUndefined();
});

it("a grouped board has a lane for each value, and says what a card in it becomes", async () => {
  const owner = await t.createUser();
  const actor = t.actorOf(owner);
  const backlog = await t.seedBacklog(owner);
  const { tasks, stories } = await getSprintBoard(actor, { sprint_id: backlog.sprint.id });
  const lanes = (group: string) =>
    viewOf(tasks, stories, readSettings(new URLSearchParams({ group })), owner.id, [{ id: owner.id, username: "ada" }])
      .lanes;
  expect(lanes("")).toBeUndefined();
  const [story] = stories;
  expect(lanes("story")).toContainEqual({
    key: story?.code,
    label: `${story?.code} ${story?.title}`,
    sets: { story_id: story?.id },
  });
  expect(lanes("assignee")).toEqual([
    { key: "ada", label: "ada", sets: { assignee_id: owner.id } },
    { key: "-", label: "Unassigned", sets: { assignee_id: "" } },
  ]);
  expect(lanes("worker")).toEqual([{ key: "-", label: "No worker", sets: null }]);
  expect(lanes("label")).toEqual([{ key: "-", label: "No label", sets: null }]);
  expect(lanes("priority")?.map(({ key }) => key)).toEqual(["1", "2", "3", "4", "5"]);
});

it("Filters in a search narrow its results, and words remain words", async () => {
  const app = await startTestApp(t, { pages: true });
  const owner = await t.createUser();
  await t.seedBacklog(owner);
  const { read } = await app.visitorOf(owner);
  const found = async (query: string) => {
    const html = await read(`/search?q=${encodeURIComponent(query)}`);
    return ["Exports", "Export as CSV", "Write rows"].filter((title) => html.includes(`>${title}</a>`));
  };
  expect(await found("export")).toEqual(["Exports", "Export as CSV"]);
  expect(await found("export is:story")).toEqual(["Export as CSV"]);
  expect(await found("export -is:story")).toEqual(["Exports"]);
  expect(await found("Rows status:todo,review")).toEqual(["Write rows"]);
  expect(await found("rows status:done")).toEqual([]);
});
