import {
  type Answered,
  answerIssue,
  begun,
  ciOf,
  edited,
  type FakeComment,
  type FakePull,
  type ForgeRequest,
  type ForgeWorld,
  listIn,
  listIssues,
  logOf,
  mergePull,
  openPull,
  runOf,
  textIn,
  version,
} from "./world";

/** The part of GitHub's API that Backloom asks, as an own host has it. */
export function gitHubApi(world: ForgeWorld, { method, path, query, body }: ForgeRequest): Answered {
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
  const issue = what === "issues" ? answerIssue(world, { method, path, query, body }) : null;
  if (issue) return issue;
  if (what === "issues" && id === undefined) return { status: 200, body: listIssues(world, query) };
  if (what === "pulls" && id === undefined && method === "GET") {
    const [, branch] = (query.get("head") ?? "").split(":");
    const found = world.pulls.filter(
      (one) =>
        (query.get("state") === "all" || one.state === "open") && (!branch || (one.branch === branch && !one.isOfFork)),
    );
    const size = Number(query.get("per_page") ?? 30);
    return { status: 200, body: found.slice(0, size).map((one) => shown(world, one)) };
  }
  if (what === "pulls" && id === undefined) {
    const made = openPull(world, {
      branch: textIn(body, "head"),
      base: textIn(body, "base"),
      title: textIn(body, "title"),
      body: textIn(body, "body"),
      isDraft: body.draft === true,
    });
    if (made) return { status: 201, body: shown(world, made) };
    return { status: 422, body: { message: "A pull request already exists" } };
  }
  const runs = /\/actions\/runs(?:\/(\d+)\/jobs)?$/.exec(path);
  if (runs) return { status: 200, body: ofActions(world, query.get("head_sha"), runs[1]) };
  const commit = /\/commits\/(\w+)\/([\w-]+)$/.exec(path);
  if (commit) return { status: 200, body: ofCommit(world, commit[1] ?? "", commit[2] ?? "") };
  if (path.endsWith("/logs")) {
    return { status: 200, body: logOf(world, Number(path.split("/").at(-2))) };
  }
  if (pull === undefined) return { status: 404, body: { message: "Not Found" } };
  if (method === "GET" && more === "reviews") {
    const reviews = pull.comments.filter(({ isVerdict }) => isVerdict);
    const state = "CHANGES_REQUESTED";
    return { status: 200, body: reviews.map((one) => ({ ...written(one), state })) };
  }
  if (method === "GET" && more === "comments") {
    const comments = pull.comments.filter(({ isVerdict }) => !isVerdict);
    return { status: 200, body: comments.map((one) => ({ ...written(one), path: "a.txt", line: 1 })) };
  }
  if (method === "PUT" && more === "merge") {
    if (mergePull(world, pull, body.sha)) return { status: 200, body: { merged: true } };
    return { status: 409, body: { message: "Head branch was modified" } };
  }
  if (what === "issues" && more === "labels") pull.labels.push(...listIn(body, "labels").map(String));
  else if (more === "requested_reviewers") pull.reviewers.push(...listIn(body, "reviewers").map(String));
  else if (method === "PATCH") {
    pull.title = textIn(body, "title") || pull.title;
    pull.body = textIn(body, "body") || pull.body;
  }
  return { status: 200, body: shown(world, pull) };
}

function written({ id, author, body, isEdited }: FakeComment) {
  return {
    id,
    body,
    user: { login: author, type: "User" },
    author_association: author === "grace" ? "COLLABORATOR" : "NONE",
    created_at: begun,
    updated_at: isEdited ? edited : begun,
  };
}

function ofCommit(world: ForgeWorld, sha: string, what: string) {
  const pull = world.pulls.find((one) => ciOf(world, one)?.sha === sha);
  if (what === "status" || !pull?.ci) return { statuses: [], check_runs: [] };
  const { state } = pull.ci;
  const status = state === "pending" ? "in_progress" : "completed";
  const conclusion = { pending: null, passed: "success", failed: "failure" }[state];
  return { check_runs: [{ id: runOf(pull), name: "test", status, conclusion, output: null }] };
}

/** Runs of Actions at a commit, one for each pull request with CI there, and the only job of a run. */
function ofActions(world: ForgeWorld, sha: string | null, run: string | undefined) {
  const found = world.pulls.filter((one) => (run ? runOf(one) === +run : one.ci?.sha === sha));
  const shownRuns = found.flatMap((one) => {
    const { ci } = one;
    const conclusion = { pending: null, passed: "success", failed: "failure" }[ci?.state ?? "pending"];
    const status = conclusion === null ? "in_progress" : "completed";
    return [{ id: runOf(one), name: "test", workflow_id: 1, event: "push", status, conclusion }];
  });
  return run ? { jobs: shownRuns } : { workflow_runs: shownRuns };
}

function shown(
  world: ForgeWorld,
  { number, title, body, isDraft, state, branch, base, mergeable, comments, isOfFork }: FakePull,
) {
  return {
    number,
    title,
    body,
    draft: isDraft,
    node_id: `node-${number}`,
    html_url: world.urlOf(number),
    state: state === "open" ? "open" : "closed",
    merged_at: state === "merged" ? begun : null,
    mergeable,
    updated_at: version(comments, state),
    head: { ref: branch, sha: world.headOf(branch), repo: { full_name: isOfFork ? "stranger/shop" : "acme/shop" } },
    base: { ref: base },
  };
}
