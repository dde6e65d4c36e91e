import type { Usage } from "./driver";

export const nothingKnown: Usage = {
  model: null,
  freshInput: null,
  output: null,
  cacheRead: null,
  cacheWrite: null,
  cost: null,
  currency: null,
};

/** Counts of one model call as services report them: input includes cached tokens. */
interface CountsWithCache {
  input: number | null;
  output: number | null;
  cacheRead: number | null;
  cacheWrite: number | null;
}

/** Subtracts cached tokens from the input, so that none is counted twice. */
export function disjoint(model: string | null, counts: CountsWithCache): Usage {
  const { input, output, cacheRead, cacheWrite } = counts;
  const cached = (cacheRead ?? 0) + (cacheWrite ?? 0);
  const freshInput = input === null ? null : Math.max(0, input - cached);
  return { model, freshInput, output, cacheRead, cacheWrite, cost: null, currency: null };
}

/** Adds up usage per model. */
export function sumByModel(calls: Iterable<Usage>): Usage[] {
  const sums = new Map<string | null, Usage>();
  for (const call of calls) {
    const sum = sums.get(call.model);
    sums.set(call.model, sum === undefined ? call : add(sum, call));
  }
  return [...sums.values()];
}

function add(one: Usage, other: Usage): Usage {
  return {
    model: one.model,
    freshInput: plus(one.freshInput, other.freshInput),
    output: plus(one.output, other.output),
    cacheRead: plus(one.cacheRead, other.cacheRead),
    cacheWrite: plus(one.cacheWrite, other.cacheWrite),
    cost: plus(one.cost, other.cost),
    currency: one.currency ?? other.currency,
  };
}

function plus(one: number | null, other: number | null): number | null {
  return one === null && other === null ? null : (one ?? 0) + (other ?? 0);
}
