import { expect } from "@playwright/test";
import { openLive } from "./places";
import { test } from "./test";
import { lastId, post } from "./world";

/** Turns the letters after it, reads from right to left, and ends more isolates than it begins. */
const turning = "\u202eשלום مرحبا\u2069";

test("A title that changes the reading direction does not change the text next to it", async ({
  owner,
  world,
  ownPage: page,
}) => {
  const backlog = `${world.product}/backlog`;
  const { storyId, taskId } = await addTurning();
  const places = [
    backlog,
    `${backlog}?panel=new-story`,
    world.sprint,
    `${world.sprint}?group=story`,
    `/tasks/${taskId}`,
    `/tasks/${world.taskIds[0]}`,
    `/stories/${storyId}`,
    "/inbox",
    `${world.sprint}/review`,
    "/search?q=שלום",
    "/search?q=مرحبا",
  ];
  for (const place of places) {
    await page.goto(place);
    await expect(page.getByText("שלום").first(), place).toBeAttached();
    expect(await page.evaluate(turnedTexts), place).toEqual([]);
    expect(await page.title(), place).not.toMatch(/\u202e/);
  }

  await openLive(page, `/tasks/${taskId}`);
  await page.evaluate((title) => {
    document.querySelector("h1")?.insertAdjacentHTML("afterend", `<p>T-1 ${title} is blocked</p>`);
  }, turning);
  expect(await page.evaluate(turnedTexts)).toEqual([`T-1 ${turning} is blocked`]);

  async function addTurning() {
    const pbi_id = lastId(await post(owner.context, backlog, { intent: "create-pbi", title: turning }));
    const storyId = lastId(
      await post(owner.context, backlog, {
        intent: "create-story",
        pbi_id,
        title: turning,
        acceptance_criteria: `- ${turning}`,
      }),
    );
    const task = { intent: "create-task", story_id: storyId, title: turning };
    const taskId = lastId(await post(owner.context, backlog, task));
    const sprint_id = world.sprintId;
    await post(owner.context, world.sprint, { intent: "add-story", sprint_id, story_id: storyId });
    await post(owner.context, `/tasks/${taskId}`, { intent: "set-status", status: "review" });
    const blocks = { intent: "add-dependency", blocked_by: await codeOf(taskId) };
    await post(owner.context, `/tasks/${world.taskIds[0]}`, blocks);
    return { storyId, taskId };
  }

  async function codeOf(taskId: string) {
    const answer = await owner.context.request.get(`/tasks/${taskId}`);
    return /data-code[^>]*>([^<]+)</.exec(await answer.text())?.[1] ?? "";
  }
});

/** In the page: the texts of elements whose other text is in one line with the title, isolated by nothing. */
function turnedTexts(): string[] {
  const turned: string[] = [];
  for (const text of textsOf(document.body)) {
    if (!/[\u05d0-\u05ea]/.test(outsideMarks(text))) continue;
    let around = text.parentElement;
    while (around && !isIsolated(around)) around = around.parentElement;
    const beside = around ? textsOf(around).filter((other) => isInLine(other, around)) : [];
    const own = beside.some((other) => other !== text) || /[A-Za-z0-9]/.test(outsideMarks(text));
    if (around && own) turned.push(around.textContent ?? "");
  }
  return turned;

  function textsOf(element: Element): Text[] {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const found: Text[] = [];
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const isShown = node.parentElement?.closest("script, style, template") === null;
      if (node instanceof Text && isShown && /[\p{L}\p{N}]/u.test(node.data)) found.push(node);
    }
    return found;
  }

  function outsideMarks({ data }: Text) {
    return data.replace(/\u2068[^\u2069]*\u2069|⟨[^⟩]*⟩/g, "");
  }

  function isIsolated(element: Element) {
    const { display, unicodeBidi } = getComputedStyle(element);
    return display !== "inline" || /isolate|plaintext/.test(unicodeBidi);
  }

  function isInLine(text: Text, around: Element) {
    let within = text.parentElement;
    while (within && within !== around) {
      if (!getComputedStyle(within).display.startsWith("inline")) return false;
      within = within.parentElement;
    }
    return true;
  }
}
