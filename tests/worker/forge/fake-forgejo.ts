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
  mergePull,
  openPull,
  textIn,
  version,
} from "./world";

const labels = [
  { id: 3, name: "agents" },
  { id: 4, name: "other" },
];

/** The part of Forgejo's API that Backloom asks; Gitea's is the same there. */
export function forgejoApi(world: ForgeWorld, { method, path, query, body }: ForgeRequest): Answered {
  const repository = "/api/v1/repos/acme/shop";
  const [, what, id, more] = /^\/(\w+)\/?(\d+)?\/?(\w+)?/.exec(path.replace(repository, "")) ?? [];
  if (path === repository) return { status: 200, body: { default_branch: "main" } };
  if (!path.startsWith(repository)) return { status: 404, body: { message: "Not Found" } };
  if (what === "labels") return { status: 200, body: labels };
  const issue = what === "issues" ? answerIssue(world, { method, path, query, body }) : null;
  if (issue) return issue;
  if (what === "issues" && id === undefined) return { status: 200, body: listIssues(world, query) };
  if (what === "pulls" && id === undefined && method === "GET") {
    const found = world.pulls.filter((one) => query.get("state") === "all" || one.state === "open");
    const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("limit") ?? 30)];
    const shownPart = found.reverse().slice((page - 1) * size, page * size);
    return { status: 200, body: shownPart.map((one) => shown(world, one)) };
  }
  if (what === "pulls" && id === undefined) {
    const title = textIn(body, "title");
    const made = openPull(world, {
      branch: textIn(body, "head"),
      base: textIn(body, "base"),
      title,
      body: textIn(body, "body"),
      isDraft: title.startsWith("WIP: "),
    });
    if (made) return { status: 201, body: shown(world, made) };
    return { status: 409, body: { message: "pull request already exists for these targets" } };
  }
  const pull = world.pulls.find(({ number }) => number === Number(id));
  const commit = /\/commits\/(\w+)\/status$/.exec(path);
  if (commit) {
    const found = world.pulls.map((one) => ciOf(world, one)).find((ci) => ci?.sha === commit[1]);
    const status = found && { pending: "pending", passed: "success", failed: "failure" }[found.state];
    const statuses = found ? [{ context: "test", status, description: found.log }] : [];
    return { status: 200, body: { statuses } };
  }
  const person = /\/collaborators\/(\w+)\/permission$/.exec(path);
  if (person) return { status: 200, body: { permission: person[1] === "grace" ? "write" : "read" } };
  if (pull === undefined) return { status: 404, body: { message: "Not Found" } };
  if (method === "GET" && more === "reviews") {
    const comments = /\/reviews\/(\d+)\/comments$/.exec(path);
    if (comments) {
      const found = pull.comments.filter((one) => one.id === Number(comments[1]));
      return { status: 200, body: found.map((one) => ({ ...written(one), path: "a.txt", position: 1 })) };
    }
    // A review is begun with its first comment and submitted later; `submitted_at` is of its beginning.
    const reviews = pull.comments.map(({ id, author, body, isVerdict, isPending }) => ({
      id,
      user: { login: author },
      submitted_at: begun,
      updated_at: edited,
      ...(isVerdict
        ? { body, state: "REQUEST_CHANGES" }
        : { state: isPending ? "PENDING" : "COMMENT", body: "", comments_count: 1 }),
    }));
    return { status: 200, body: reviews };
  }
  if (method === "POST" && more === "merge") {
    if (mergePull(world, pull, body.head_commit_id)) return { status: 200, body: null };
    return { status: 409, body: { message: "head out of date" } };
  }
  if (what === "issues" && more === "labels") {
    const given = listIn(body, "labels");
    pull.labels.push(...labels.filter((label) => given.includes(label.id)).map(({ name }) => name));
  } else if (more === "requested_reviewers") {
    pull.reviewers.push(...listIn(body, "reviewers").map(String));
  } else if (method === "PATCH") {
    pull.title = textIn(body, "title") || pull.title;
    pull.isDraft = pull.title.startsWith("WIP: ");
    pull.body = textIn(body, "body") || pull.body;
  }
  return { status: method === "POST" ? 201 : 200, body: shown(world, pull) };
}

function written({ id, author, body, isEdited }: FakeComment) {
  const times = { created_at: begun, updated_at: isEdited ? edited : begun };
  return { id, body, user: { login: author }, ...times };
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
    html_url: world.urlOf(number),
    state: state === "open" ? "open" : "closed",
    merged: state === "merged",
    mergeable,
    updated_at: version(comments, state),
    head: { ref: branch, sha: world.headOf(branch), repo_id: isOfFork ? 2 : 1 },
    base: { ref: base, repo_id: 1 },
  };
}
