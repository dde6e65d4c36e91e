import {
  type Answered,
  type Asked,
  type FakePull,
  type ForgeWorld,
  listIn,
  openPull,
  textIn,
} from "./world";

/** The part of GitHub's API that Backloom asks, as an own host has it. */
export function gitHubApi(world: ForgeWorld, { method, path, query, body }: Asked): Answered {
  const repository = "/api/v3/repos/acme/shop";
  const [, what, id, more] = /^\/(\w+)\/?(\d+)?\/?(\w+)?/.exec(path.replace(repository, "")) ?? [];
  const pull = world.pulls.find(({ number }) => number === Number(id));
  if (path === "/api/graphql") {
    const { id: node } = Object(body.variables);
    const found = world.pulls.find(({ number }) => `node-${number}` === node);
    if (found) found.isDraft = false;
    return { status: 200, body: { data: {} } };
  }
  if (path === repository) return { status: 200, body: { default_branch: "main" } };
  if (!path.startsWith(repository)) return { status: 404, body: { message: "Not Found" } };
  if (what === "pulls" && id === undefined && method === "GET") {
    const [, branch] = (query.get("head") ?? "").split(":");
    const found = world.pulls.filter(
      (one) =>
        (query.get("state") === "all" || one.state === "open") &&
        (!branch || one.branch === branch),
    );
    return { status: 200, body: found.map((one) => shown(world, one)) };
  }
  if (what === "pulls" && id === undefined) {
    const made = openPull(world, {
      ...{ branch: textIn(body, "head"), base: textIn(body, "base"), title: textIn(body, "title") },
      ...{ body: textIn(body, "body"), isDraft: body.draft === true },
    });
    if (made) return { status: 201, body: shown(world, made) };
    return { status: 422, body: { message: "A pull request already exists" } };
  }
  if (pull === undefined) return { status: 404, body: { message: "Not Found" } };
  if (what === "issues" && more === "labels")
    pull.labels.push(...listIn(body, "labels").map(String));
  else if (more === "requested_reviewers")
    pull.reviewers.push(...listIn(body, "reviewers").map(String));
  else if (method === "PATCH") {
    pull.title = textIn(body, "title") || pull.title;
    pull.body = textIn(body, "body") || pull.body;
  }
  return { status: 200, body: shown(world, pull) };
}

function shown(world: ForgeWorld, { number, title, body, isDraft, state, branch, base }: FakePull) {
  return {
    ...{ number, title, body, draft: isDraft, node_id: `node-${number}` },
    html_url: world.urlOf(number),
    state: state === "open" ? "open" : "closed",
    head: { ref: branch, sha: world.headOf(branch), repo: { full_name: "acme/shop" } },
    base: { ref: base },
  };
}
