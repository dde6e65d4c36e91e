import {
  type Answered,
  answerIssue,
  begun,
  ciOf,
  edited,
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

/** The part of GitLab's API that Backloom asks. */
export function gitLabApi(world: ForgeWorld, { method, path, query, body }: ForgeRequest): Answered {
  const project = "/api/v4/projects/acme%2Fshop";
  if (path === "/api/v4/users") {
    const name = query.get("username") ?? "";
    return { status: 200, body: name === "grace" ? [{ id: 7, username: name }] : [] };
  }
  if (path === project) return { status: 200, body: { default_branch: "main" } };
  const member = /\/members\/all\/(\d+)$/.exec(path);
  if (member?.[1] === "7") return { status: 200, body: { access_level: 40 } };
  if (member) return { status: 404, body: { message: "404 Not found" } };
  const job = /\/(?:pipelines|jobs)\/(\d+)\/(jobs|trace)$/.exec(path);
  if (job) {
    const id = Number(job[1]);
    const body = job[2] === "trace" ? logOf(world, id) : [{ id, name: "test" }];
    return { status: 200, body };
  }
  const issue = answerIssue(world, { method, path, query, body });
  if (issue) return issue;
  const [, id] = /\/merge_requests\/?(\d+)?/.exec(path.replace(project, "")) ?? [];
  if (path === `${project}/issues`) return { status: 200, body: listIssues(world, query) };
  if (!path.startsWith(`${project}/merge_requests`)) return { status: 404, body: { message: "404 Not Found" } };
  if (id === undefined && method === "GET") {
    const branch = query.get("source_branch");
    const found = world.pulls.filter(
      (one) => (query.get("state") !== "opened" || one.state === "open") && (!branch || one.branch === branch),
    );
    const size = Number(query.get("per_page") ?? 20);
    return { status: 200, body: found.slice(0, size).map((one) => shown(world, one)) };
  }
  if (id === undefined) {
    const title = textIn(body, "title");
    const made = openPull(world, {
      branch: textIn(body, "source_branch"),
      base: textIn(body, "target_branch"),
      title,
      body: textIn(body, "description"),
      isDraft: title.startsWith("Draft: "),
    });
    if (made) return { status: 201, body: shown(world, made) };
    return { status: 409, body: { message: ["Another open merge request already exists"] } };
  }
  const pull = world.pulls.find(({ number }) => number === Number(id));
  if (pull === undefined) return { status: 404, body: { message: "404 Not found" } };
  if (path.endsWith("/notes")) {
    // The summary of a review is a plain note.
    const anchor = { resolvable: true, position: { new_path: "a.txt", new_line: 1 } };
    const notes = pull.comments.map(({ id: note, author, body: text, isEdited, isVerdict }) => ({
      id: note,
      body: text,
      created_at: begun,
      updated_at: isEdited ? edited : begun,
      author: { id: author === "grace" ? 7 : 8, username: author },
      ...(isVerdict ? { resolvable: false } : anchor),
    }));
    return { status: 200, body: notes };
  }
  if (path.endsWith("/reviewers")) {
    const isAsked = pull.comments.some(({ isVerdict }) => isVerdict);
    const state = isAsked ? "requested_changes" : "unreviewed";
    return { status: 200, body: [{ user: { id: 7, username: "grace" }, state }] };
  }
  if (path.endsWith("/merge")) {
    if (mergePull(world, pull, body.sha)) return { status: 200, body: shown(world, pull) };
    return { status: 409, body: { message: "SHA does not match HEAD of source branch" } };
  }
  if (method === "PUT") {
    pull.title = textIn(body, "title") || pull.title;
    pull.isDraft = pull.title.startsWith("Draft: ");
    pull.body = textIn(body, "description") || pull.body;
    pull.labels.push(...textIn(body, "add_labels").split(",").filter(Boolean));
    pull.reviewers.push(...listIn(body, "reviewer_ids").map((number) => (number === 7 ? "grace" : "?")));
  }
  return { status: 200, body: shown(world, pull) };
}

function shown(world: ForgeWorld, pull: FakePull) {
  const { number, title, body, isDraft, state, branch, base, mergeable, comments } = pull;
  const ci = ciOf(world, pull);
  const status = ci && { pending: "running", passed: "success", failed: "failed" }[ci.state];
  const pipeline = ci && { id: runOf(pull), sha: ci.sha, status };
  return {
    iid: number,
    title,
    description: body,
    draft: isDraft,
    web_url: world.urlOf(number),
    state: state === "open" ? "opened" : state,
    has_conflicts: !mergeable,
    merge_status: "checked",
    updated_at: version(comments, state),
    head_pipeline: pipeline,
    source_project_id: pull.isOfFork ? 2 : 1,
    target_project_id: 1,
    source_branch: branch,
    target_branch: base,
    sha: world.headOf(branch),
  };
}
