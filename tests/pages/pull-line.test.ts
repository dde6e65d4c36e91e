import { expect, it } from "vitest";
import { observePulls } from "~/nouns/pulls/operations.server";
import { openApp } from "../setup/app";
import { at, claim, finish } from "../setup/world";

const { t, app } = await openApp({ pages: true });

it("says on card, task, job and run how the pull request of the work stands, and how many have landed", async () => {
  const world = await t.seedSprint({ stories: [2] });
  const { actor, owner, product, sprint, start } = world;
  const repository = "https://code.example/acme/shop";
  await t.query`update products set repo_url = ${repository} where id = ${product.id}`;
  const cookie = await app.signIn(owner);
  const page = async (path: string) =>
    (await (await app.request(path, { headers: { cookie } })).text()).replaceAll("<!-- -->", "");
  const run = await start();
  const job = await claim(actor);
  const head_sha = "a".repeat(40);
  await finish(actor, job, { head_sha });
  const observe = (change: object) =>
    observePulls(actor, {
      product_id: product.id,
      pulls: [
        {
          ...{
            number: 7,
            url: "https://code.example/acme/shop/pulls/7",
            branch: job.branch ?? "",
            head_sha,
          },
          ...{ state: "open", mergeable: true, observed_at: new Date().toISOString(), ...change },
        },
      ],
    });
  const task = at(world.tasks, 0);
  const places = [
    `/products/${product.id}/sprints/${sprint.id}`,
    `/tasks/${task.id}`,
    `/jobs/${job.id}`,
    `/products/${product.id}/runs/${run.id}`,
  ];
  const all = () => Promise.all(places.map(page));

  for (const text of await all()) expect(text).not.toContain("data-pull");
  await observe({ ci: { state: "pending" }, review: "approved" });
  for (const [place, text] of (await all()).entries()) {
    expect(text, places[place]).toMatch(
      /href="https:\/\/code\.example\/acme\/shop\/pulls\/7"[^>]*data-pull/,
    );
    expect(text).toContain("Pull request #7 · CI running · approved");
  }
  expect(at(await all(), 3)).toMatch(/Landed<\/dt><dd[^>]*>0 of 2/);
  await observe({ state: "merged" });
  for (const text of await all()) expect(text).toContain("Pull request #7 · merged");
  expect(at(await all(), 3)).toMatch(/Landed<\/dt><dd[^>]*>1 of 2/);
});
