import { createElement, Fragment } from "react";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { keepText } from "~/components/kept-text.server";
import { reportAgentJob } from "~/domain/agent-jobs/operations.server";
import { addDependency } from "~/domain/dependencies/operations.server";
import { addProductMember } from "~/domain/products/add-product-member.server";
import { archiveProduct, restoreProduct } from "~/domain/products/operations.server";
import { askQuestion } from "~/domain/questions/operations.server";
import { startSprintRun } from "~/domain/sprint-runs/operations.server";
import { assignStory } from "~/domain/stories/operations.server";
import { setTaskStatus } from "~/domain/tasks/operations.server";
import { claim, seedSprint } from "../db/agents/sprint-world";
import { at } from "../db/world";
import { signIn, startTestApp } from "../setup/app";
import { createTestDatabase } from "../setup/database";
import { createVisitor } from "../setup/page-forms";
import { createUser } from "../setup/users";

const t = await createTestDatabase();
const app = await startTestApp(t, { pages: true });

/** As in production: while developing no row is kept. */
beforeEach(() => void vi.stubEnv("DEV", false));
afterEach(() => void vi.useRealTimers());

/** A sprint of an owner who may change it, with a demo account among the members that may not. */
async function seedPages() {
  const world = await seedSprint(t, { stories: [2, 2] });
  const { actor, owner, product, sprint, stories, tasks } = world;
  const demo = await createUser(t, { demo: true });
  await addProductMember(actor, { product_id: product.id, identifier: demo.username });
  await assignStory(actor, { story_id: at(stories, 0).id, assignee_id: owner.id });
  const board = `/products/${product.id}/sprints/${sprint.id}`;
  const backlog = `/products/${product.id}/backlog?open=all`;
  const addresses = [
    ...[board, `${board}?group=story`, `${board}?as=list`, `${board}?hide=worker&dense=1`],
    ...[`${board}?move=${at(tasks, 0).id}`, `/products/${product.id}/solo`, backlog],
    ...[`${backlog}&panel=story:${at(stories, 0).id}`, `${backlog}&hide=count&q=status:todo`],
  ];
  const people = [
    createVisitor(app, await signIn(t, app, owner)),
    createVisitor(app, await signIn(t, app, demo)),
  ];
  return { ...world, board, backlog, addresses, people };
}

type Visitor = ReturnType<typeof createVisitor>;
type Pages = Awaited<ReturnType<typeof seedPages>>;

/** Everybody's pages, each with what is kept and with nothing of it: no difference may be seen. */
async function expectAsDrawn({ addresses, people }: Pages): Promise<void> {
  const read = () => Promise.all(people.flatMap((person) => addresses.map(person.read)));
  // A card of a running job tells for how long: the time stands still between the two.
  vi.useFakeTimers({ now: Date.now(), toFake: ["Date"] });
  const kept = await read();
  vi.stubEnv("DEV", true);
  const drawn = await read();
  vi.stubEnv("DEV", false);
  vi.useRealTimers();
  kept.forEach((page, index) => {
    const address = addresses[index % addresses.length];
    expect(shownOf(page), address).toBe(shownOf(drawn[index] ?? ""));
    expect(dataOf(page), address).toEqual(dataOf(drawn[index] ?? ""));
  });
}

/** As a person does it, on the page of the thing. */
async function rename(visitor: Visitor, kind: "task" | "story", id: string, title: string) {
  const path = kind === "task" ? `/tasks/${id}` : `/stories/${id}`;
  const answer = await visitor.send(path, [
    ["intent", kind === "task" ? "edit" : "update"],
    [`${kind}_id`, id],
    ["title", title],
  ]);
  expect(answer.status).toBe(303);
}

/** What a page shows, a line an element, without the nonce of its answer. */
function shownOf(page: string): string {
  const [shown = ""] = page.split("window.__remixContext");
  return shown.replace(/ nonce="[^"]*"/g, "").replaceAll("><", ">\n<");
}

/** What a page tells its script, without the moment of its answer. */
function dataOf(page: string): Record<string, unknown> {
  const { state } = JSON.parse(scriptOf(page));
  const { now: _, ...shell } = state.loaderData["routes/_app"];
  return { ...state.loaderData, "routes/_app": shell };
}

function scriptOf(page: string): string {
  return /window\.__remixContext = (\{.*?\});<\/script>/s.exec(page)?.[1] ?? "";
}

/** The row or card of this thing. */
function rowOf(page: string, line: string): string {
  const [, rest = ""] = shownOf(page).split(`data-line="${line}"`);
  return rest.split("data-line=")[0]?.split("</ul>")[0] ?? "";
}

describe("rows that the server wrote once", () => {
  it("are what it would draw, for everybody, whatever happens to what they show", async () => {
    const pages = await seedPages();
    const { actor, product, sprint, people, tasks, stories } = pages;
    const [first, second, last] = [at(tasks, 0), at(tasks, 1), at(tasks, 3)];
    const owner = at(people, 0);
    await expectAsDrawn(pages);
    await rename(owner, "task", last.id, "Weave the edge");
    await rename(owner, "story", at(stories, 1).id, "A warm edge");
    await addDependency(actor, { kind: "task", id: last.id, blocked_by: second.id });
    await startSprintRun(actor, { sprint_id: sprint.id });
    await expectAsDrawn(pages);
    const { id: job_id, attempt } = await claim(actor);
    await expectAsDrawn(pages);
    await reportAgentJob(actor, { job_id, attempt, status: "failed", failure_reason: "No loom." });
    await askQuestion(actor, { task_id: second.id, question: "Which wool?" });
    await setTaskStatus(actor, { task_id: first.id, status: "done" });
    await expectAsDrawn(pages);
    await archiveProduct(actor, { product_id: product.id });
    await expectAsDrawn(pages);
    await restoreProduct(actor, { product_id: product.id });
    await rename(owner, "task", last.id, "Task 2.2");
    await expectAsDrawn(pages);
  });

  it("offer a change only to who may make it, whoever looked before", async () => {
    const { actor, product, people, board, backlog, tasks, stories } = await seedPages();
    const [owner, demo] = [at(people, 0), at(people, 1)];
    const card = `task:${at(tasks, 0).id}`;
    const story = `story:${at(stories, 0).id}`;
    const offers = async (visitor: typeof owner) => {
      const onBoard = shownOf(await visitor.read(board));
      const inBacklog = shownOf(await visitor.read(backlog));
      return {
        drags: / draggable="true"[^>]* data-line="task:/.test(
          onBoard.replaceAll(/data-task="[^"]*" /g, ""),
        ),
        moves: rowOf(onBoard, card).includes(`?move=${at(tasks, 0).id}`),
        says: /<button[^>]* title="([^"]*)"[^>]* disabled/.exec(rowOf(onBoard, card))?.[1],
        reorders: rowOf(inBacklog, story).startsWith(' draggable="true"'),
      };
    };
    const all = { drags: true, moves: true, says: undefined, reorders: true };
    const none = { drags: false, moves: false, reorders: false };
    const asDemo = "This is a demo account: it sees everything and changes nothing.";
    expect(await offers(owner)).toEqual(all);
    expect(await offers(demo)).toEqual({ ...none, says: asDemo });
    expect(await offers(owner)).toEqual(all);
    await archiveProduct(actor, { product_id: product.id });
    const isArchived = "This product is archived. Restore it in its settings to change something.";
    expect(await offers(owner)).toEqual({ ...none, says: isArchived });
    expect(await offers(demo)).toEqual({ ...none, says: asDemo });
    await restoreProduct(actor, { product_id: product.id });
    expect(await offers(owner)).toEqual(all);
  });

  it("say of work that is under way how long it takes now, in every theme", async () => {
    const { actor, sprint, owner, board } = await seedPages();
    await startSprintRun(actor, { sprint_id: sprint.id });
    const job = await claim(actor, "loom-1");
    const cookie = await signIn(t, app, owner);
    const cardIn = async (theme: string) => {
      const page = await createVisitor(app, `${cookie}; theme=${theme}`).read(board);
      expect(page).toContain(`data-theme="${theme}"`);
      return rowOf(page, `task:${job.task_id}`).replaceAll("<!-- -->", "");
    };
    const now = await cardIn("light");
    expect(now).toContain("loom-1");
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 20 * 60_000 });
    const later = await cardIn("dark");
    vi.useRealTimers();
    expect(later).toContain("20 min");
    expect(now).not.toContain("20 min");
    const { id: job_id, attempt } = job;
    await reportAgentJob(actor, { job_id, attempt, status: "done", verify_result: "ALIGNED" });
    expect(await cardIn("light")).not.toContain("loom-1");
  });

  it("hold what people wrote as text, and so does the data of their page", async () => {
    const { people, board, backlog, tasks, stories } = await seedPages();
    const visitor = at(people, 0);
    const addresses = [board, `${board}?as=list`, `${board}?group=story`, backlog];
    const tags = (page: string) => page.match(/<(?:script|img|!--(?! --|\$|\/\$))/g)?.length;
    const before = await Promise.all(addresses.map(visitor.read));
    const title =
      "</script><script>alert(1)</script><!-- </title> --> &amp; \"'><img src=x onerror=alert(2)>\u2028\u2029 $1 ]]>";
    await rename(visitor, "task", at(tasks, 0).id, title);
    await rename(visitor, "story", at(stories, 0).id, title);
    const escaped = title.replace(
      /[&<>"']/g,
      (sign) =>
        ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;" })[sign] ?? sign,
    );
    for (const round of ["written", "kept"]) {
      const after = await Promise.all(addresses.map(visitor.read));
      after.forEach((page, index) => {
        const place = `${round} ${addresses[index]}`;
        expect(tags(page), place).toBe(tags(before[index] ?? ""));
        expect(shownOf(page), place).toContain(escaped);
        expect(scriptOf(page), place).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.stringify(dataOf(page)), place).toContain(JSON.stringify(title));
      });
    }
  });
});

describe("the data of a page", () => {
  it("is the same whether it comes with the page or alone", async () => {
    const { people, board, backlog, owner } = await seedPages();
    const cookie = await signIn(t, app, owner);
    for (const address of [board, backlog]) {
      const data = dataOf(await at(people, 0).read(address));
      expect(Object.keys(data).length).toBeGreaterThan(2);
      for (const [route, expected] of Object.entries(data)) {
        if (expected === null || route === "root") continue;
        const query = `${address.includes("?") ? "&" : "?"}_data=${encodeURIComponent(route)}`;
        const answer = await app.request(address + query, { headers: { cookie } });
        expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
        const { now: _, ...alone } = JSON.parse(await answer.text());
        expect(alone, route).toEqual(expected);
      }
    }
  });
});

describe("the texts that are kept", () => {
  it("are let go when too many are known, those that are in use last", () => {
    const text = (key: number) => `row ${key} `.padEnd(10_000, "-");
    let drawn = 0;
    const ask = (key: number) => {
      const answer = keepText(`bound ${key}`, () => {
        drawn += 1;
        return createElement(Fragment, null, text(key));
      });
      expect(answer).toBe(text(key));
    };
    for (let key = 0; key < 1_000; key++) {
      ask(key);
      ask(0);
    }
    expect(drawn).toBe(1_000);
    // From the newest back, so that asking changes least: what is not drawn again was kept.
    for (let key = 999; key > 0; key--) ask(key);
    const known = 999 - (drawn - 1_000);
    expect(known).toBeGreaterThan(100);
    expect(known * text(0).length).toBeLessThanOrEqual(4_000_000);
  });
});
