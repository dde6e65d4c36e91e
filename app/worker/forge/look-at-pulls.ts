import { type ObservedPull, observedSchema } from "~/contract/pull";
import { isOwnBranch } from "../job/heard-claim";
import type { Service } from "../service/service";
import type { Forge, ListedPull } from "./forge";

/** What was seen last, so that what stays as it is is not asked for, nor handed in, again. */
interface Known {
  version: string;
  headSha: string;
  isSettled: boolean;
  inspectedAt: number;
}

/** What moves without the pull request changing, such as whether it merges, is looked at again after this time. */
const restMilliseconds = 600_000;
/** Of very many only some are looked at in one go: the others come next. */
const mostInspected = 20;
const mostOfMany = 1;
const many = 50;

/** Looks at the pull requests of branches of the worker's kind, and hands in what it sees of those that may have changed. */
export function pullLook(service: Service, productId: string, now = () => performance.now()) {
  const known = new Map<number, Known>();
  return async (open: () => Promise<Forge>): Promise<void> => {
    const forge = await open();
    const listed = (await forge.listRecent()).filter(({ branch }) => isOwnBranch(branch));
    const due = listed
      .filter((pull) => isDue(pull, known.get(pull.number), now()))
      .sort(byNeed(known));
    const pulls: { pull: ListedPull; seen: ObservedPull }[] = [];
    for (const pull of due.slice(0, listed.length > many ? mostOfMany : mostInspected)) {
      pulls.push({ pull, seen: await observe(forge, pull) });
    }
    if (pulls.length === 0) return;
    const body = { product_id: productId, pulls: pulls.map(({ seen }) => seen) };
    const { again } = await service.put("/api/pulls/observed", body, observedSchema);
    for (const { pull, seen } of pulls) {
      const { isSettled, ...rest } = knownOf(pull, seen, now());
      known.set(pull.number, { ...rest, isSettled: isSettled && !again.includes(pull.number) });
    }
  };
}

function isDue(
  { version, headSha, state }: ListedPull,
  before: Known | undefined,
  now: number,
): boolean {
  if (before === undefined || before.version !== version || before.headSha !== headSha) return true;
  if (state !== "open") return false;
  return !before.isSettled || now - before.inspectedAt > restMilliseconds;
}

/** Those that changed go first, then the one that was looked at longest ago. */
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

/** Of one that is no longer open there is nothing more to be seen. */
async function observe(forge: Forge, pull: ListedPull): Promise<ObservedPull> {
  const { number, url, branch, headSha, state, isDraft } = pull;
  const observed_at = new Date().toISOString();
  const seen = { number, url, branch, head_sha: headSha, state, draft: isDraft, observed_at };
  return state === "open" ? { ...seen, ...(await forge.inspect(pull)) } : seen;
}

/** CI that has not ended, or not begun, is asked for each time. */
function knownOf(
  { version, headSha }: ListedPull,
  { state, ci, mergeable }: ObservedPull,
  inspectedAt: number,
): Known {
  const isSettled = state !== "open" || (ci?.state === "passed" && mergeable === true);
  return { version, headSha, isSettled, inspectedAt };
}
