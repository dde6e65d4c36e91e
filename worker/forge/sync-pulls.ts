import { ZodError, type z } from "zod";
import { type ObservedPull, observedSchema, pullLimits, pullListSchema } from "~/wire/pulls/contract";
import type { Journal } from "../base/journal";
import { isOwnBranch } from "../git/remote";
import type { Service } from "../service/service";
import { type Forge, ForgeProblem, type ListedPull } from "./forge";

/** Last seen state, so that unchanged pull requests are not inspected or reported again. */
type Known = { version: string; headSha: string; isSettled: boolean; inspectedAt: number };

/** Interval for changes that do not touch the pull request, such as mergeability. */
const restMilliseconds = 600_000;
/** Limits per look of open pull requests; the others are inspected next time. */
const mostInspected = 20;
const mostOfMany = 1;
const many = 50;

/** Inspects pull requests of Backloom's branches, and reports those that may have changed. */
export function openPullSync(
  { service, journal }: { service: Service; journal: Pick<Journal, "sayOnce"> },
  productId: string,
  now = () => performance.now(),
) {
  const known = new Map<number, Known>();
  return async (open: () => Promise<Forge>): Promise<void> => {
    const forge = await open();
    // Taken before anything is read: with a later time an old list would overrule a newer look.
    const observedAt = new Date().toISOString();
    const recent = await forge.listRecent();
    const path = `/api/products/${productId}/pulls`;
    const { pulls: reported, branch_prefix } = await service.read(path, pullListSchema);
    // Those it has may have an earlier prefix of the product.
    const listed = [...recent, ...findMissing(reported, recent, forge)].filter(
      ({ branch, url }) => isOwnBranch(branch, branch_prefix) || reported.some((one) => one.url === url),
    );
    const due = listed.filter((pull) => isDue(pull, known.get(pull.number), now()));
    const slots = listed.filter(isOpen).length > many ? mostOfMany : mostInspected;
    // What is closed or merged costs the host no request, so it takes no slot of an open one.
    const candidates = [
      ...due.filter(isOpen).sort(byNeed(known)).slice(0, slots),
      ...due.filter((pull) => !isOpen(pull)),
    ].slice(0, pullLimits.pulls);
    const pulls: { pull: ListedPull; seen: ObservedPull }[] = [];
    const problems: unknown[] = [];
    for (const candidate of candidates) {
      const { number, version, headSha } = candidate;
      try {
        const isMissing = !recent.includes(candidate);
        const pull = isMissing ? await forge.readListed(number) : candidate;
        if (pull === null) continue;
        pulls.push({ pull, seen: await observe(forge, pull, observedAt, journal) });
      } catch (error) {
        if (!isOfOne(error)) throw error;
        // One broken pull request does not stop the others. It goes to the end of the queue.
        problems.push(error);
        known.set(number, { version, headSha, isSettled: false, inspectedAt: now() });
      }
    }
    await handIn(pulls);
    if (problems.length > 0) throw problems[0];
  };

  /** Finds open pull requests of the product that the host's list of recent changes no longer shows: their CI counts too. */
  function findMissing(
    reported: z.output<typeof pullListSchema>["pulls"],
    recent: readonly ListedPull[],
    { location }: Forge,
  ) {
    const shown = new Set(recent.map(({ url }) => url));
    return reported
      .filter(({ url }) => !shown.has(url) && url.includes(`/${location.project}/`))
      .map(({ number, url, branch, head_sha, draft }): ListedPull => {
        const { version = "" } = known.get(number) ?? {};
        return { number, url, branch, headSha: head_sha, state: "open", isDraft: draft, version };
      });
  }

  async function handIn(pulls: readonly { pull: ListedPull; seen: ObservedPull }[]) {
    if (pulls.length === 0) return;
    const body = { product_id: productId, pulls: pulls.map(({ seen }) => seen) };
    const { again } = await service.put("/api/pulls/observed", body, observedSchema);
    for (const { pull, seen } of pulls) {
      const { isSettled, ...rest } = knownOf(pull, seen, now());
      known.set(pull.number, { ...rest, isSettled: isSettled && !again.includes(pull.number) });
    }
  }
}

function isOpen({ state }: ListedPull): boolean {
  return state === "open";
}

/** True if the problem is one pull request's, not the host's or the login's. */
export function isOfOne(error: unknown): boolean {
  if (error instanceof ZodError) return true;
  const status = error instanceof ForgeProblem ? (error.status ?? 0) : 0;
  return status >= 400 && status < 500 && status !== 401 && status !== 429;
}

function isDue({ version, headSha, state }: ListedPull, before: Known | undefined, now: number): boolean {
  if (before === undefined || before.version !== version || before.headSha !== headSha) return true;
  if (state !== "open") return false;
  return !before.isSettled || now - before.inspectedAt > restMilliseconds;
}

/** Changed ones first, then the least recently inspected. */
function byNeed(known: ReadonlyMap<number, Known>) {
  const since = ({ number, version, headSha }: ListedPull) => {
    const before = known.get(number);
    const isSame = before?.version === version && before.headSha === headSha;
    return isSame ? before.inspectedAt : Number.NEGATIVE_INFINITY;
  };
  return (one: ListedPull, other: ListedPull) => {
    const [a, b] = [since(one), since(other)];
    return a === b ? 0 : a < b ? -1 : 1;
  };
}

/** A closed pull request needs no inspection. */
async function observe(
  forge: Forge,
  pull: ListedPull,
  observed_at: string,
  journal: Pick<Journal, "sayOnce">,
): Promise<ObservedPull> {
  const { number, url, branch, headSha, state, isDraft } = pull;
  const seen = { number, url, branch, head_sha: headSha, state, draft: isDraft, observed_at };
  if (state !== "open") return seen;
  const { unread, ...details } = await forge.inspect(pull);
  if (unread !== undefined) journal.sayOnce(unread);
  return { ...seen, ...details };
}

/** Unsettled while CI has not passed or it is not mergeable: it is inspected each time. */
function knownOf({ version, headSha }: ListedPull, { state, ci, mergeable }: ObservedPull, inspectedAt: number): Known {
  const isSettled = state !== "open" || (ci?.state === "passed" && mergeable === true);
  return { version, headSha, isSettled, inspectedAt };
}
