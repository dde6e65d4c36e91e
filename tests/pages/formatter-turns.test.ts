import { expect, it } from "vitest";
import { renderMarkdown } from "~/features/markdown/markdown.server";
import { WorkThread } from "~/threads/work-thread.server";

const echo = `const { parentPort } = require("node:worker_threads");
parentPort.on("message", (text) => {
  if (text === "die") throw new Error(text);
  parentPort.postMessage({ made: text });
});
parentPort.postMessage({ ready: true });`;

it("who asks for much waits behind everyone who asks for little", async () => {
  const thread = new WorkThread(echo, { longest: 3_000, memoryMb: 256 });
  const order: string[] = [];
  const ask = async (viewer: string, text: string) => {
    await thread.run(text, viewer);
    order.push(text);
  };
  const greedy = Array.from({ length: 100 }, (_, at) => ask("greedy", `greedy ${at}`));
  await Promise.all([...greedy, ask("anna", "anna 0"), ask("ben", "ben 0"), ask("anna", "anna 1")]);
  expect(order.slice(0, 6)).toEqual([
    ...["greedy 0", "anna 0", "ben 0", "greedy 1", "anna 1", "greedy 2"],
  ]);
});

it("a text that ends the thread is given up, and what waits behind it is formatted", async () => {
  const thread = new WorkThread(echo, { longest: 3_000, memoryMb: 256 });
  const asked = ["die", "one", "two"].map((text) => thread.run(text, "anna"));
  expect(await Promise.all(asked)).toEqual(["too-heavy", { made: "one" }, { made: "two" }]);
});

it("a text that is not ready soon is shown as it was written, until it is", async () => {
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
