import { expect, it } from "vitest";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { WorkThread } from "~/threads/work-thread.server";
import { busyMilliseconds } from "../setup/thread-work";

const htmlOf = async (text: string) => (await renderMarkdown(text, "anna"))?.html ?? "";

it("Markdown is formatted and sanitized", async () => {
  const text =
    "# Title\n\n**bold** `code` ~~gone~~\n\n- [x] done\n\n[a](javascript:alert(1)) <script>alert(1)</script> ![words](http://x/y.png)\n\n|a|\n|-|\n|b|";
  const html = await htmlOf(text);
  expect(html).toContain("<h3>Title</h3>");
  expect(html).toContain("<strong>bold</strong> <code>code</code> <del>gone</del>");
  expect(html).toContain("<span>☑ </span>");
  expect(html).toContain("<td>b</td>");
  expect(html).toContain("<em>words</em>");
  expect(html).not.toMatch(/<script|javascript:|<img/);
});

it("Markdown shows pictures that are files of this server, and no others", async () => {
  const own = "/api/files/00000000-0000-4000-8000-000000000000";
  expect(await htmlOf(`![a <b>](${own})`)).toContain(`<img src="${own}" alt="a &lt;b&gt;"`);
  for (const other of [`http://x${own}`, `/${own}`, `${own}/../../me`, `${own}?x`, "/api/tasks/1"]) {
    expect(await htmlOf(`![a](${other})`), other).not.toContain("<img");
  }
});

it("Markdown without any text is left out", async () => {
  expect(await renderMarkdown(" \n", "anna")).toBeNull();
  expect(await renderMarkdown(null, "anna")).toBeNull();
});

it.each([
  ["marks", "*a_".repeat(33_000)],
  ["marks in short lines", "*a_\n".repeat(25_000)],
  ["quotes in quotes", `${">".repeat(1_000)} x`],
  ["lists in lists", `${"- ".repeat(1_000)}x`],
  ["brackets", "[".repeat(100_000)],
  ["table rows and backticks", `|a|\n|-|\n${"|`<b>`\n".repeat(16_000)}`],
  ["table columns", `${"|a".repeat(2_000)}\n${"|-".repeat(2_000)}\n${"|\n".repeat(200)}`],
  ["items", "- a\n".repeat(25_000)],
  ["addresses", "a@b.c ".repeat(16_000)],
  ["backticks", Array.from({ length: 440 }, (_, at) => "`".repeat(at + 1)).join(" ")],
  ["definitions", "[x]: y\n".repeat(14_000)],
  ["footnotes", "[^a]: ".repeat(16_000)],
  ["indented lists", Array.from({ length: 300 }, (_, at) => `${"  ".repeat(at)}- a`).join("\n")],
])(
  "Markdown with endless %s holds no one up, and is shown",
  async (_, text) => {
    let longest = 0;
    let last = busyMilliseconds();
    const beat = setInterval(() => {
      longest = Math.max(longest, busyMilliseconds() - last);
      last = busyMilliseconds();
    }, 10);
    const html = await htmlOf(text);
    clearInterval(beat);
    expect(html).not.toBe("");
    expect(longest).toBeLessThan(1_000);
    // What comes after it is formatted as ever.
    const after = () => htmlOf(`**after** ${text.slice(0, 3)} ${text.length}`);
    await expect.poll(after).toContain("after</strong>");
  },
  20_000,
);

it("Markdown that is not formatted is shown as it was written, with its HTML escaped", async () => {
  expect(await htmlOf(`${">".repeat(1_000)}<b>"x"`)).toContain("&#60;b&#62;&#34;x&#34;</pre>");
});

it("A Markdown text is formatted once for everyone who looks at it", async () => {
  const text = "- item\n".repeat(200);
  // Raw at first where the thread is busy.
  await expect.poll(() => htmlOf(text), { timeout: 30_000 }).toContain("<ul>");
  const first = await htmlOf(text);
  const before = busyMilliseconds();
  expect(await htmlOf(text)).toBe(first);
  expect(busyMilliseconds() - before).toBeLessThan(50);
});

const echo = `const { parentPort } = require("node:worker_threads");
parentPort.on("message", (text) => {
  if (text === "die") throw new Error(text);
  parentPort.postMessage({ made: text });
});
parentPort.postMessage({ ready: true });`;

it("A reader who asks for much formatting waits behind readers who ask for little", async () => {
  const thread = new WorkThread(echo, { longest: 3_000, memoryMb: 256 });
  const order: string[] = [];
  const ask = async (viewer: string, text: string) => {
    await thread.run(text, viewer);
    order.push(text);
  };
  const greedy = Array.from({ length: 100 }, (_, at) => ask("greedy", `greedy ${at}`));
  await Promise.all([...greedy, ask("anna", "anna 0"), ask("ben", "ben 0"), ask("anna", "anna 1")]);
  expect(order.slice(0, 6)).toEqual(["greedy 0", "anna 0", "ben 0", "greedy 1", "anna 1", "greedy 2"]);
});

it("A text that crashes the formatting thread is given up, and the texts behind it are formatted", async () => {
  const thread = new WorkThread(echo, { longest: 3_000, memoryMb: 256 });
  const asked = ["die", "one", "two"].map((text) => thread.run(text, "anna"));
  expect(await Promise.all(asked)).toMatchObject(["too-heavy", { made: "one" }, { made: "two" }]);
});

it("a text that is not ready soon is shown as it was written, until it is", { tags: "thorough" }, async () => {
  expect(await renderMarkdown("warm", "anna")).not.toBeNull();
  const others = Array.from({ length: 10 }, (_, number) =>
    renderMarkdown(`- ${number}\n${"- item\n".repeat(4_900)}`, `reader ${number}`),
  );
  const soon = await renderMarkdown("**late** <b>", "anna");
  expect(soon).toMatchObject({ unfinished: true });
  expect(soon?.html).toContain("**late** &#60;b&#62;");
  const later = async () => (await renderMarkdown("**late** <b>", "anna")) ?? { html: "" };
  await expect.poll(later).not.toHaveProperty("unfinished");
  expect((await later()).html).toContain("<strong>late</strong>");
  await Promise.all(others);
});
